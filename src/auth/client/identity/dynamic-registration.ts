import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { ClientAuthentication } from "../../client-authentication-method.ts";
import { isLoopbackUrl } from "../../fetch/address-policy.ts";
import { readJsonObject, toStringList } from "../../fetch/read-json.ts";
import { toPrintable } from "../../printable.ts";
import type { FetchContext } from "../discovery/fetch-metadata.ts";
import type { ClientDescription } from "./client-information.ts";

/** What an authorization server gave a client that registered itself. */
export interface ClientRegistration {
  readonly id: string;
  readonly secret?: string | undefined;
  /** When the secret ends, in seconds since 1970. */
  readonly secretExpiresAt?: number | undefined;
  readonly authentication?: ClientAuthentication | undefined;
  readonly redirectUris: readonly string[];
}

export interface ClientRegistrationRequest {
  readonly description: ClientDescription;
  /** None for clients without users. */
  readonly redirectUri: string | undefined;
  readonly grantTypes: readonly string[];
}

/** The body of a registration request (RFC 7591). */
function toRegistrationRequest(wish: ClientRegistrationRequest, server: AuthorizationServer): JsonObject {
  const { description, redirectUri, grantTypes } = wish;
  const { name = "allspeak", uri, logoUri, contacts } = description;
  return {
    client_name: name,
    ...(uri !== undefined && { client_uri: uri }),
    ...(logoUri !== undefined && { logo_uri: logoUri }),
    ...(contacts !== undefined && { contacts }),
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    grant_types: grantTypes,
    response_types: redirectUri === undefined ? [] : ["code"],
    token_endpoint_auth_method: wishedAuthentication(server),
    application_type: isNative(redirectUri) ? "native" : "web",
  };
}

/** Registers this client with an authorization server that does not know it. */
export async function registerClient(
  wish: ClientRegistrationRequest,
  server: AuthorizationServer,
  { fetch, trace, signal }: FetchContext,
): Promise<ClientRegistration> {
  const url = server.registration_endpoint ?? "";
  const response = await fetch(url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(toRegistrationRequest(wish, server)),
    signal,
  });
  const document = await readJsonObject(response);
  const registration =
    response.status === 201 || response.status === 200 ? toRegistration(document, wish) : undefined;
  if (registration) {
    trace.add("registration", "ok", { url, detail: `client ${registration.id}` });
    return registration;
  }
  const said = [document?.error, document?.error_description].filter((text) => typeof text === "string");
  const detail = toPrintable(`status ${response.status} ${said.join(": ")}`.trim());
  trace.add("registration", "refused", { url, detail });
  const reason = response.status >= 500 ? "unreachable" : "registration";
  throw new AuthorizationError(`The authorization server did not register this client: ${detail}.`, reason);
}

function toRegistration(
  document: JsonObject | undefined,
  wish: ClientRegistrationRequest,
): ClientRegistration | undefined {
  if (typeof document?.client_id !== "string" || document.client_id === "") return undefined;
  const {
    client_secret: secret,
    client_secret_expires_at: expiry,
    token_endpoint_auth_method: way,
  } = document;
  const wished = wish.redirectUri === undefined ? [] : [wish.redirectUri];
  return {
    id: document.client_id,
    ...(typeof secret === "string" && secret !== "" && { secret }),
    ...(typeof expiry === "number" && expiry > 0 && { secretExpiresAt: expiry }),
    ...(isAuthentication(way) && { authentication: way }),
    redirectUris: toStringList(document.redirect_uris) ?? wished,
  };
}

function wishedAuthentication({ token_endpoint_auth_methods_supported: taken }: AuthorizationServer): string {
  if (taken === undefined || taken.includes("none")) return "none";
  return taken.includes("client_secret_basic") ? "client_secret_basic" : "client_secret_post";
}

function isAuthentication(way: unknown): way is ClientAuthentication {
  return way === "none" || way === "client_secret_basic" || way === "client_secret_post";
}

/** Whether the user comes back to this machine, or to an application by a scheme of its own. */
function isNative(redirectUri: string | undefined): boolean {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return true;
  const url = new URL(redirectUri);
  return isLoopbackUrl(url) || !/^https?:$/.test(url.protocol);
}
