import type { JWK } from "jose";
import type { CryptoKey } from "oauth4webapi";
import type { ClientAuthentication } from "../../client-authentication-method.ts";

/** A client that was registered with an authorization server beforehand. */
export interface PreregisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Signs client assertions instead of a secret: a key, or PEM or JWK with its `algorithm`. */
  readonly privateKey?: CryptoKey | string | JWK | undefined;
  /** The algorithm of `privateKey`, where the key does not name it. Default ES256. */
  readonly algorithm?: string | undefined;
  /** The authentication method. Default: one that the authorization server supports. */
  readonly authentication?: ClientAuthentication | undefined;
  /**
   * The authorization server that the client is registered with.
   *
   * Default: the first one that the server names. If the server names another one later, requests
   * fail: an id and a secret are for one authorization server only.
   */
  readonly issuer?: string | undefined;
}

/** The identity of this client at one authorization server. */
export interface OAuthClientInformation extends PreregisteredClient {
  readonly source: "preregistered" | "document" | "registration" | "anonymous";
}

/** The metadata of a client that registers itself (RFC 7591). */
export interface ClientDescription {
  /** Default: allspeak. */
  readonly name?: string | undefined;
  readonly uri?: string | undefined;
  readonly logoUri?: string | undefined;
  readonly contacts?: readonly string[] | undefined;
}
