import { importJWK, importPKCS8, type JWK } from "jose";
import {
  type AuthorizationServer,
  ClientSecretPost,
  type CryptoKey,
  None,
  type ClientAuth as OAuthClientAuth,
  PrivateKeyJwt,
} from "oauth4webapi";
import { AuthorizationError, UsageError } from "../../../errors.ts";
import type { ClientAuthentication } from "../../client-authentication-method.ts";
import type { OAuthClientInformation } from "./client-information.ts";

/** The client authentication of token requests. */
export async function toClientAuthentication(
  client: OAuthClientInformation,
  server: AuthorizationServer,
): Promise<OAuthClientAuth> {
  if (client.source === "anonymous") return () => {};
  const { secret, privateKey } = client;
  switch (chooseAuthentication(client, server)) {
    case "private_key_jwt":
      if (privateKey === undefined) throw new UsageError("private_key_jwt needs the client's privateKey.");
      return PrivateKeyJwt(await toKey(privateKey, client.algorithm ?? "ES256"));
    case "client_secret_basic":
      return basic(secret ?? "");
    case "client_secret_post":
      return ClientSecretPost(secret ?? "");
    case "none":
      return None();
  }
}

/** Chooses the method of the registration, else the first that both sides support. */
function chooseAuthentication(
  { authentication, secret, privateKey }: Omit<OAuthClientInformation, "id" | "source">,
  server: AuthorizationServer,
): ClientAuthentication {
  if (authentication) return authentication;
  const supported = server.token_endpoint_auth_methods_supported;
  if (privateKey !== undefined) return "private_key_jwt";
  if (secret === undefined) return "none";
  // RFC 8414, section 2: the default where the server lists nothing.
  if (supported === undefined || supported.includes("client_secret_basic")) return "client_secret_basic";
  if (supported.includes("client_secret_post")) return "client_secret_post";
  if (supported.includes("none")) return "none";
  throw new AuthorizationError(
    "The authorization server supports no client authentication method that this client has.",
    "registration",
  );
}

/** Encodes id and secret as forms do (RFC 6749, section 2.3.1), and no further: some servers do not decode more. */
function basic(secret: string): OAuthClientAuth {
  return (_server, client, _body, headers) => {
    const pair = `${formEncode(client.client_id)}:${formEncode(secret)}`;
    headers.set("authorization", `Basic ${btoa(pair)}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

async function toKey(key: CryptoKey | string | JWK, algorithm: string): Promise<CryptoKey> {
  if (typeof key === "string") return importPKCS8(key, algorithm);
  if ("kty" in key) return (await importJWK(key, algorithm)) as CryptoKey;
  return key as CryptoKey;
}
