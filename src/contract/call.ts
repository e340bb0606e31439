import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { LogLevel } from "../protocol/model/logging.ts";
import type { Revision } from "../protocol/revision.ts";
import type { State } from "../state/state.ts";
import type { RequestOptions } from "./channel.ts";

/** Who calls, as far as authorization could establish it. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  readonly client?: string;
  readonly scopes?: readonly string[];
  readonly claims?: JsonObject;
}

/** A conversation that was opened by a handshake and remembers things between calls. */
export interface Session {
  readonly id: string;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  /** Undefined until the client sets one. */
  logLevel: LogLevel | undefined;
  /** The lists of whose changes the client was told that it would hear. */
  readonly lists: ReadonlySet<string>;
  /** URIs whose updates the client wants to hear of. */
  readonly subscriptions: Set<string>;
  /** Ids of the pages that the user was sent to, and whose end the client waits to hear of. */
  readonly visits: Set<string>;
}

/** One request on its way from a transport to the server: all that is known of the caller. */
export interface Call {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  /** Where the caller is, as far as the transport knows. */
  readonly address?: string | undefined;
  readonly session: Session | undefined;
  /** The prefixes of the mounts that it came through, outermost first. */
  readonly path?: readonly string[] | undefined;
  /** What outlives the call, where the transport was given it; else the server keeps it. */
  readonly state?: State | undefined;
  /** What the server in which this one is mounted seals with, for one that has no secrets of its own. */
  readonly secrets?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** Aborted when the server wants what would go on for ever to come to its end. */
  readonly closing: AbortSignal;
  /** Sends a notification that belongs to this call; waits for a slow reader. */
  notify(method: string, params: JsonObject): Promise<void>;
  /** Lets go of the connection but not of the call, where the client can come back for the answer; else does nothing. */
  disconnect(): void;
  /** Sends a request to the client while the call is open, where the revision allows that. */
  ask(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
}
