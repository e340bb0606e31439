import { type RpcError, UsageError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import type { JsonObject, JsonText } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import type { ParamHeader } from "../protocol/headers/param-headers.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { SupportedRevisions } from "../protocol/negotiate.ts";
import type { Revision } from "../protocol/revision.ts";
import type { StoredSession } from "../state/state.ts";
import type { Call, Session } from "./call.ts";
import type { Principal } from "./caller/principal.ts";
import type { EventRelay, ServerEvent } from "./server-event.ts";
import type { Telemetry } from "./telemetry.ts";

/** The client of a request and the revision that it uses. */
export interface CallingClient {
  readonly revision: Revision;
  readonly client: ClientDeclaration;
}

/** The sender of a notification. */
export interface NotificationSender {
  /** The client's description of itself, which proves nothing. */
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  /** Absent where the revision has no sessions. */
  readonly session: { readonly id: string } | undefined;
  /** The date of the revision in use. */
  readonly revision: string;
}

/** The part of a sender that its transport knows. */
export interface NotificationOrigin extends SessionOrigin {
  readonly principal: Principal | undefined;
  readonly session?: Session | undefined;
  /** The revision that the transport names beside the message, as a header does. */
  readonly revision?: Revision | undefined;
}

/** The way on which a session was opened, as far as its transport knows it. */
export type SessionOrigin = Pick<Call, "address" | "http">;

/** A server as transports see it. */
export interface Service {
  /** The name of the server. */
  readonly name: string;
  readonly supported: SupportedRevisions;
  /**
   * Resolves when all items can be listed and called; requests wait for it. Rejects with the RegistrationError of
   * an item that can't be used, and then nothing is served. Undefined in the usual case: there is nothing to wait for.
   */
  readonly ready: Promise<void> | undefined;
  /** Loads what the first calls will need. For a transport that is ready before its first request comes. */
  prepare?(): void;
  /** Observes what transports do by themselves; undefined in the usual case. */
  readonly telemetry?: Telemetry | undefined;
  /** Answers a call in the encoding of its revision: at once where its handler does. Throws and rejects only with RpcError. */
  handle(call: Call): MaybePromise<JsonText>;
  /** Returns whether the author listens to a notification of clients. One without a listener costs no place. */
  listensTo(method: string): boolean;
  /** Passes a notification of a client to the listeners; settles when they have ended, and never rejects. */
  notify(method: string, params: JsonObject, origin: NotificationOrigin): Promise<void>;
  /** Counts a message that starts no call; returns an error when its sender sent too many. Absent without limits. */
  countOther?(sender: Pick<NotificationOrigin, "principal" | "address">): RpcError | undefined;
  /** The caller that a request describes in its own metadata; throws RpcError. */
  readCaller(params: JsonObject): CallingClient;
  /** Opens the session that the params of `initialize` ask for; throws RpcError. `createId` is for transports that name it. */
  openSession(params: JsonObject, origin?: SessionOrigin, createId?: () => string): Session;
  /** The result of `initialize`, which may depend on whether the caller is identified. */
  initializeResult(session: Session, principal: Principal | undefined): JsonObject;
  /** The arguments of a call that a transport with headers must find there, too. */
  mirroredParams(method: string, params: JsonObject): readonly ParamHeader[];
  onChange(listener: (event: ServerEvent) => void): () => void;
  /** The part of the service that works with what was stored. Loaded on demand: one process needs it rarely. */
  forNodes(): Promise<NodeService>;
  /** Logs an error that callers must not see. */
  report(message: string, cause: unknown): void;
}

/** The part of a service for nodes that share a state, and for sessions that come back from it. */
export interface NodeService {
  /** Opens a session again that was stored, by another node or by this one. */
  restoreSession(stored: StoredSession, revision: Revision): Session;
  /** Takes over what another node has stored of a session that is open here, too. */
  updateSession(session: Session, stored: Pick<StoredSession, "logLevel" | "subscriptions">): void;
  /** Returns whether a request may be repeated whose outcome is not known. */
  mayRepeat(method: string, params: JsonObject): boolean;
  /**
   * Sends events through a relay, and gives listeners those that it delivers, until `stop`. Of several relays the
   * first delivers.
   */
  shareEvents(relay: EventRelay): SharedEvents;
}

export interface SharedEvents {
  /** Gives an event that came through the relay to the listeners. */
  deliver(event: ServerEvent): void;
  /** Notifies the listeners that events were dropped before they came through the relay. */
  miss(): void;
  stop(): void;
}

/** A value that can be served, as server values can. */
export interface Servable {
  "~service"(): Service;
}

export function isServable(value: unknown): value is Servable {
  return typeof value === "object" && value !== null && "~service" in value;
}

/** The service of a server value; throws UsageError for anything else. `what` is the function that takes it. */
export function serviceOf(what: string, server: Servable): Service {
  if (isServable(server)) return server["~service"]();
  throw new UsageError(
    `${what} takes a server value first, of createServer, a bridge or a gateway, not ${describeValue(server)}.`,
  );
}
