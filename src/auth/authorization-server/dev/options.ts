import type { JsonObject } from "../../../lib/json.ts";
import type { ClientAuthentication } from "../../client-authentication-method.ts";
import type { SigningAlgorithm } from "../tokens/signing-keys.ts";

export interface DevUser {
  readonly subject: string;
  readonly name?: string;
  readonly email?: string;
  /** Further claims of this user's access tokens. */
  readonly claims?: JsonObject;
}

/** A client that needs no registration, in the words of RFC 7591. */
export interface DevClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly client_name?: string;
  readonly redirect_uris?: readonly string[];
  readonly grant_types?: readonly string[];
  readonly token_endpoint_auth_method?: ClientAuthentication;
  readonly scope?: string;
  /** Public keys, for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly JsonObject[] };
}

export interface DevAuthOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Must be of this machine. Default `127.0.0.1`. */
  readonly host?: string;
  /** A path of the issuer's own, such as `/tenant`. Default none. */
  readonly path?: string;
  /** Scopes that exist. Default `openid`, `profile`, `email` and `offline_access`, which always exist. */
  readonly scopes?: readonly string[];
  /** Who can log in. Default one user, `dev`. */
  readonly users?: readonly DevUser[];
  /**
   * Lets every client have what it wants, without a page: true for the first user, or the
   * subject of another. Default false.
   *
   * Browsers that a page of another site has sent still see the page.
   */
  readonly autoApprove?: boolean | string;
  readonly clients?: readonly DevClient[];
  /** Resources that tokens are given for. Default: any. */
  readonly resources?: readonly string[];
  /** Whether clients may register themselves. Default true. */
  readonly registration?: boolean;
  /** Whether the id of a client may be the address of a document about it. Default true. */
  readonly clientMetadataDocuments?: boolean;
  /** How long an access token is good. Default 300. */
  readonly accessTokenSeconds?: number;
  /** How long a grant can be refreshed. Default one day. */
  readonly refreshTokenSeconds?: number;
  /** `opaque` tokens need introspection. Default `jwt`. */
  readonly tokenFormat?: "jwt" | "opaque";
  /** Whether tokens are given only to those who prove a key, and whether proofs need a nonce. */
  readonly dpop?: { readonly required?: boolean; readonly nonce?: boolean };
  /** Default `ES256`. */
  readonly signingAlgorithm?: SigningAlgorithm;
  /** Seconds that a device waits between its questions. Default 5. */
  readonly deviceIntervalSeconds?: number;
  /** Sees each request first, and may answer it: to count, or to fail on purpose. */
  readonly intercept?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** Where it says what it is. Default: standard error. */
  readonly log?: (line: string) => void;
}
