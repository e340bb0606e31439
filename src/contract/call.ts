import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { LogLevel } from "../protocol/model/logging.ts";
import type { Revision } from "../protocol/revision.ts";
import type { State, StoredSession } from "../state/state.ts";
import type { HttpView } from "./caller/http-view.ts";
import type { Principal } from "./caller/principal.ts";
import type { RequestOptions } from "./channel.ts";
import type { ContextValues } from "./context-key.ts";

/**
 * A session that `initialize` opened, with what it remembers between calls.
 *
 * basic/lifecycle#initialization (2025-11-25)
 */
export interface Session {
  readonly id: string;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  /** Undefined until the client sets one. */
  logLevel: LogLevel | undefined;
  /** The lists whose `list_changed` the server declared to the client. */
  readonly lists: ReadonlySet<string>;
  /** The URIs of the resources that the client subscribed to. Made with the first: many sessions are idle. */
  subscriptions?: Set<string> | undefined;
  /** The ids of URL elicitations whose completion the client has not been notified of. */
  pendingElicitations?: Set<string> | undefined;
  /** The listeners of its end, by name. See `onSessionEnd` and `endSession`. */
  endListeners?: Map<string | object, SessionEndListener> | undefined;
  /** True once it has ended; a listener that is added later is never called. */
  hasEnded?: true;
}

/** Called once, with the error that ended the session, if one did. */
export type SessionEndListener = (error: Error | undefined) => void;

/** A change of a session that a call has made. */
export interface SessionChange {
  /** Makes it again, where another node has stored something else meanwhile. */
  apply(): void;
  /** Takes it back, where it could not be stored: the session is again as it is stored, as far as is known. */
  undo(stored: StoredSession): void;
}

/** Something that lasts until its call ends. */
export interface CallEndListener {
  onClosing(): void;
  onCancelled(reason: unknown): void;
}

/** One request on its way from a transport to the server, with all that is known of the caller. */
export interface Call {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  /** The network address of the caller, as far as the transport knows it. */
  readonly address?: string | undefined;
  /** The HTTP request that brought the call, where one did. Made when it is read. */
  readonly http?: HttpView | undefined;
  /** The length of the text that brought it, in characters, where limits have not counted it yet. */
  readonly size?: number | undefined;
  /** The values that middlewares gave. */
  readonly given?: ContextValues | undefined;
  readonly session: Session | undefined;
  /** The prefixes of the mounts that it came through, outermost first. */
  readonly path?: readonly string[] | undefined;
  /** The storage of the transport, if it has one; otherwise the server uses its own. */
  readonly state?: State | undefined;
  /** The secrets of the mounting server, for a mounted one that has none of its own. */
  readonly secrets?: readonly string[] | undefined;
  /** Keeps the runtime from ending work that outlives the response, where it would; elsewhere undefined. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  readonly signal: AbortSignal;
  /** Aborted when the server closes: a call that would last indefinitely ends itself. */
  readonly closing: AbortSignal;
  /** Takes a change of the session, which is made already, for the time until it is stored. */
  readonly onChanged?: ((change: SessionChange) => void) | undefined;
  /**
   * Calls a listener once, when the server closes or the call is cancelled: both signals in one, which takes far less
   * memory than they do. Absent where there are no such savings.
   */
  onEnd?(listener: CallEndListener): void;
  /** Sends a notification that belongs to this call; waits for a slow reader. */
  notify(method: string, params: JsonObject): Promise<void>;
  /** Closes the connection but not the call, where the client can come back for the response; otherwise does nothing. */
  disconnect(): void;
  /** Sends a request to the client while the call is open, where the revision allows that. */
  ask(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
}
