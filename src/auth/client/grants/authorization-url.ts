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

/** The address that the user is sent to. */
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
    // Without a new consent, some servers give no refresh token.
    ...(scopes?.includes("offline_access") && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/**
 * Refuses an address that must not reach a browser.
 *
 * What opens it may hand it to whatever program claims its scheme, so only https passes, and http
 * on this machine for servers on this machine.
 */
export function assertUserUrl(text: string, policy: AddressPolicy): URL {
  // The parser drops line breaks and turns backslashes around, so what it makes of them is not what was written.
  const isPlain = /^[\x21-\x7e]+$/.test(text) && !/[\\"'`<>^|{}]/.test(text);
  if (!isPlain || !/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new AuthorizationError("The address for logging in is not an http or https URL.", "unsafe-address");
  const url = new URL(text);
  assertSafeUrl(url, policy);
  url.hash = "";
  return url;
}
