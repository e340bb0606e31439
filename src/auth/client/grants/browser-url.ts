import { AuthorizationError } from "../../../errors.ts";
import { type AddressPolicy, assertSafeUrl } from "../../fetch/address-policy.ts";

export interface AuthorizationParameters {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly state: string;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
}

/** The authorization request that the user's browser opens. */
export function toAuthorizationUrl(
  endpoint: string,
  parameters: AuthorizationParameters,
  policy: AddressPolicy,
): URL {
  const url = assertUserUrl(endpoint, policy);
  const { scopes } = parameters;
  const query = {
    response_type: "code",
    client_id: parameters.clientId,
    redirect_uri: parameters.redirectUri,
    code_challenge: parameters.codeChallenge,
    code_challenge_method: "S256",
    state: parameters.state,
    resource: parameters.resource,
    ...(scopes && { scope: scopes.join(" ") }),
    // Some servers issue a refresh token only after a new consent.
    ...(scopes?.includes("offline_access") && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/**
 * Refuses a URL that must not be opened in a browser.
 *
 * The system hands a URL to the program that is registered for its scheme, so only https passes,
 * and http on this machine for servers on this machine.
 */
export function assertUserUrl(text: string, policy: AddressPolicy): URL {
  // The URL parser drops line breaks and rewrites backslashes, so the check would see another URL.
  const isPlain = /^[\x21-\x7e]+$/.test(text) && !/[\\"'`<>^|{}]/.test(text);
  if (!isPlain || !/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new AuthorizationError("The login URL is not an http or https URL.", "unsafe-address");
  const url = new URL(text);
  assertSafeUrl(url, policy);
  url.hash = "";
  return url;
}
