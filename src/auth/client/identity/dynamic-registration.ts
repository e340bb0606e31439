import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { toAsciiLine } from "../../ascii-line.ts";
import type { ClientAuthentication } from "../../client-authentication-method.ts";
import { isLoopbackUrl } from "../../fetch/address-policy.ts";
import { readJsonObject, toStringList } from "../../fetch/read-json.ts";
import type { FetchContext } from "../discovery/fetch-metadata.ts";
import type { ClientDescription } from "./client-information.ts";

/** The registration that an authorization server issued to this client. */
export interface ClientRegistration {
  readonly id: string;
  readonly secret?: string | undefined;
  /** The expiry of the secret, in seconds since 1970. */
  readonly secretExpiresAt?: number | undefined;
  readonly authentication?: ClientAuthentication | undefined;
  readonly redirectUris: readonly string[];
}

export interface ClientRegistrationRequest {
  readonly description: ClientDescription;
  /** Undefined for clients without users. */
  readonly redirectUri: string | undefined;
  readonly grantTypes: readonly string[];
}

/** The body of a registration request (RFC 7591). */
function toRegistrationRequest(request: ClientRegistrationRequest, server: AuthorizationServer): JsonObject {
  const { description, redirectUri, grantTypes } = request;
  const { name = "allspeak", uri, logoUri, contacts } = description;
  return {
    client_name: name,
    ...(uri !== undefined && { client_uri: uri }),
    ...(logoUri !== undefined && { logo_uri: logoUri }),
    ...(contacts !== undefined && { contacts }),
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    grant_types: grantTypes,
    response_types: redirectUri === undefined ? [] : ["code"],
    token_endpoint_auth_method: chooseRequestedMethod(server),
    application_type: isNative(redirectUri) ? "native" : "web",
  };
}

/** Registers this client dynamically (RFC 7591). */
export async function registerClient(
  request: ClientRegistrationRequest,
  server: AuthorizationServer,
  { fetch, trace, signal }: FetchContext,
): Promise<ClientRegistration> {
  const url = server.registration_endpoint ?? "";
  const response = await fetch(url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(toRegistrationRequest(request, server)),
    signal,
  });
  const document = await readJsonObject(response);
  const registration =
    response.status === 201 || response.status === 200 ? toRegistration(document, request) : undefined;
  if (registration) {
    trace.add("registration", "ok", { url, detail: `client ${registration.id}` });
    return registration;
  }
  const texts = [document?.error, document?.error_description].filter((text) => typeof text === "string");
  const detail = toAsciiLine(`status ${response.status} ${texts.join(": ")}`.trim());
  trace.add("registration", "refused", { url, detail });
  const reason = response.status >= 500 ? "unreachable" : "registration";
  throw new AuthorizationError(`The authorization server did not register this client: ${detail}.`, reason);
}

function toRegistration(
  document: JsonObject | undefined,
  request: ClientRegistrationRequest,
): ClientRegistration | undefined {
  if (typeof document?.client_id !== "string" || document.client_id === "") return undefined;
  const {
    client_secret: secret,
    client_secret_expires_at: expiry,
    token_endpoint_auth_method: method,
  } = document;
  const requested = request.redirectUri === undefined ? [] : [request.redirectUri];
  return {
    id: document.client_id,
    ...(typeof secret === "string" && secret !== "" && { secret }),
    ...(typeof expiry === "number" && expiry > 0 && { secretExpiresAt: expiry }),
    ...(isSecretMethod(method) && { authentication: method }),
    redirectUris: toStringList(document.redirect_uris) ?? requested,
  };
}

function chooseRequestedMethod({
  token_endpoint_auth_methods_supported: supported,
}: AuthorizationServer): string {
  if (supported === undefined || supported.includes("none")) return "none";
  return supported.includes("client_secret_basic") ? "client_secret_basic" : "client_secret_post";
}

function isSecretMethod(method: unknown): method is ClientAuthentication {
  return method === "none" || method === "client_secret_basic" || method === "client_secret_post";
}

/**
 * True when the redirect URI leads to this machine, or to an application by its own scheme.
 *
 * basic/authorization/client-registration#application-type-and-redirect-uri-constraints (2026-07-28)
 */
function isNative(redirectUri: string | undefined): boolean {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return true;
  const url = new URL(redirectUri);
  return isLoopbackUrl(url) || !/^https?:$/.test(url.protocol);
}
