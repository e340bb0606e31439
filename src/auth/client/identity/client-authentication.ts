import { importJWK, importPKCS8 } from "jose";
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

/** How a client proves who it is at the token endpoint. */
export async function toClientAuthentication(
  client: OAuthClientInformation,
  server: AuthorizationServer,
): Promise<OAuthClientAuth> {
  if (client.source === "nobody") return () => {};
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

/** What was agreed on, else the first that the server takes and the client can do. */
function chooseAuthentication(
  { authentication, secret, privateKey }: Omit<OAuthClientInformation, "id" | "source">,
  server: AuthorizationServer,
): ClientAuthentication {
  if (authentication) return authentication;
  const taken = server.token_endpoint_auth_methods_supported;
  if (privateKey !== undefined) return "private_key_jwt";
  if (secret === undefined) return "none";
  // By RFC 8414, one that lists nothing takes this.
  if (taken === undefined || taken.includes("client_secret_basic")) return "client_secret_basic";
  if (taken.includes("client_secret_post")) return "client_secret_post";
  if (taken.includes("none")) return "none";
  throw new AuthorizationError(
    "The authorization server takes no way of authentication that this client knows.",
    "registration",
  );
}

/** As RFC 6749 says: both parts in the encoding of forms, and no more than that, since some servers don't decode it. */
function basic(secret: string): OAuthClientAuth {
  return (_server, client, _body, headers) => {
    const pair = `${formEncode(client.client_id)}:${formEncode(secret)}`;
    headers.set("authorization", `Basic ${btoa(pair)}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

async function toKey(key: CryptoKey | string | JsonWebKey, algorithm: string): Promise<CryptoKey> {
  if (typeof key === "string") return importPKCS8(key, algorithm);
  if ("kty" in key) return (await importJWK(key as Parameters<typeof importJWK>[0], algorithm)) as CryptoKey;
  return key as CryptoKey;
}
