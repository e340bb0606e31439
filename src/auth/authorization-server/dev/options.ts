import type { OptionKinds } from "../../../contract/options.ts";
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

/** A preregistered client, with the members of RFC 7591. */
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
  /** Default: a free port. */
  readonly port?: number;
  /** A loopback host. Default `127.0.0.1`. */
  readonly host?: string;
  /** The path of the issuer's URL, such as `/tenant`. Default none. */
  readonly path?: string;
  /** Scopes in addition to `openid`, `profile`, `email` and `offline_access`. */
  readonly scopes?: readonly string[];
  /** The users. Default one user, `dev`. */
  readonly users?: readonly DevUser[];
  /**
   * Approves every request without a page: true for the first user, or the subject of another.
   * Default false.
   *
   * A request that a page of another site has caused is shown on the page nevertheless.
   */
  readonly autoApprove?: boolean | string;
  readonly clients?: readonly DevClient[];
  /** The resources that tokens are issued for. Default: any. */
  readonly resources?: readonly string[];
  /** Allows dynamic client registration. Default true. */
  readonly registration?: boolean;
  /** Allows client ids that are the URL of a metadata document. Default true. */
  readonly clientMetadataDocuments?: boolean;
  /** The lifetime of an access token. Default 300. */
  readonly accessTokenSeconds?: number;
  /** The time during which a grant can be refreshed. Default one day. */
  readonly refreshTokenSeconds?: number;
  /** `opaque` tokens need introspection. Default `jwt`. */
  readonly tokenFormat?: "jwt" | "opaque";
  /** Requires DPoP proofs, and a nonce in each of them. Default neither. */
  readonly dpop?: { readonly required?: boolean; readonly nonce?: boolean };
  /** Default `ES256`. */
  readonly signingAlgorithm?: SigningAlgorithm;
  /** The polling interval of devices in seconds. Default 5. */
  readonly deviceIntervalSeconds?: number;
  /** Sees each request first and can answer it: to count requests, or to fail them in a test. */
  readonly intercept?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** Receives the lines of the start message. Default: standard error. */
  readonly log?: (line: string) => void;
}

export const devAuthOptionKinds: OptionKinds<DevAuthOptions> = {
  port: "number",
  host: "string",
  path: "string",
  scopes: "strings",
  users: "array",
  autoApprove: "boolean|string",
  clients: "array",
  resources: "strings",
  registration: "boolean",
  clientMetadataDocuments: "boolean",
  accessTokenSeconds: "number",
  refreshTokenSeconds: "number",
  tokenFormat: ["jwt", "opaque"],
  dpop: { required: "boolean", nonce: "boolean" },
  signingAlgorithm: "string",
  deviceIntervalSeconds: "number",
  intercept: "function",
  log: "function",
};
