import { AuthorizationError } from "../../../errors.ts";
import { type AddressPolicy, assertSafeUrl } from "../../fetch/address-policy.ts";

/**
 * Refuses a URL that must not be opened in a browser.
 *
 * The system hands a URL to the program that is registered for its scheme, so only https passes,
 * and http on this machine for servers on this machine.
 */
export function assertBrowserUrl(text: string, policy: AddressPolicy): URL {
  // The URL parser drops line breaks and rewrites backslashes, so the check would see another URL.
  const isPlain = /^[\x21-\x7e]+$/.test(text) && !/[\\"'`<>^|{}]/.test(text);
  if (!isPlain || !/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new AuthorizationError("The login URL is not an http or https URL.", "unsafe-address");
  const url = new URL(text);
  assertSafeUrl(url, policy);
  url.hash = "";
  return url;
}
