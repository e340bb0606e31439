import type { CryptoKey } from "oauth4webapi";
import type { ClientAuthentication } from "../../client-authentication-method.ts";

/** A client that was registered with an authorization server beforehand. */
export interface PreregisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Signs what proves who the client is, instead of a secret: a key, or PEM or JWK with its `algorithm`. */
  readonly privateKey?: CryptoKey | string | JsonWebKey | undefined;
  /** The algorithm of `privateKey`, where the key does not tell. Default ES256. */
  readonly algorithm?: string | undefined;
  /** How the client proves who it is. Default: what the authorization server takes. */
  readonly authentication?: ClientAuthentication | undefined;
  /**
   * The authorization server that it is registered with.
   *
   * Default: the first one that the server names. Should the server name another later, that is
   * an error: an id and a secret are for one authorization server only.
   */
  readonly issuer?: string | undefined;
}

/** Who this client is to one authorization server. */
export interface OAuthClientInformation extends PreregisteredClient {
  readonly source: "known" | "document" | "registration" | "nobody";
}

/** How a client describes itself to an authorization server that does not know it. */
export interface ClientDescription {
  /** Default: allspeak. */
  readonly name?: string | undefined;
  readonly uri?: string | undefined;
  readonly logoUri?: string | undefined;
  readonly contacts?: readonly string[] | undefined;
}
