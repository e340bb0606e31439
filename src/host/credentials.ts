import type { HeaderRecord } from "../contract/channel.ts";
import type { ClientAuth } from "../contract/http-auth.ts";
import { canonicalJson } from "../lib/encoding/canonical-json.ts";
import { sha256 } from "../lib/encoding/sha256.ts";
import type { Caller } from "./caller.ts";

/** The credentials with which a server is reached; those of one caller are never used for another. */
export interface Credentials {
  /** Headers for every request, for servers behind a URL. */
  readonly headers?: HeaderRecord | undefined;
  /** `oauth()` or the like, for servers behind a URL. Give the same value again for the same login. */
  readonly auth?: ClientAuth | undefined;
  /** Variables for the environment, for commands. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Asked before each call for the credentials of a server. */
export interface CredentialsRequest extends Caller {
  /** The name of the server in the configuration. */
  readonly server: string;
}

const authNumbers = new WeakMap<ClientAuth, number>();
let authCount = 0;

/** A key that two credentials share only if they are the same; not secret itself. */
export async function credentialsKey({ headers, auth, env }: Credentials): Promise<string> {
  if (headers === undefined && auth === undefined && env === undefined) return "";
  return sha256(canonicalJson({ headers, env, auth: auth && authNumber(auth) }));
}

function authNumber(auth: ClientAuth): number {
  const number = authNumbers.get(auth) ?? ++authCount;
  authNumbers.set(auth, number);
  return number;
}
