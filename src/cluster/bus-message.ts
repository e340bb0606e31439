import type { ServerEvent } from "../contract/server-event.ts";
import type { RequestId } from "../protocol/message.ts";

/** The stream of events, and of changes of sessions, to all nodes of a server. */
export const busStream = "bus";

/** The stream of control messages to all nodes of a server. */
export const controlStream = "control";

/** Longer than a session is idle, so that its place in the stream can still be found. */
export const busTtlMs: number = 7 * 24 * 3_600_000;

/** A message to all nodes of a server. */
export type BusMessage =
  | { readonly type: "event"; readonly event: ServerEvent }
  /** The first message of all. */
  | { readonly type: "begin" }
  /** The stored session has changed; copies of it are out of date. */
  | { readonly type: "session-changed"; readonly session: string; readonly by: string }
  | ControlMessage;

/** A message that ends something. It has a stream of its own, where no flood of events pushes it out. */
type ControlMessage =
  | { readonly type: "session-ended"; readonly session: string }
  /** The client has cancelled a call that runs on an unknown node. */
  | {
      readonly type: "call-cancelled";
      readonly session: string;
      readonly request: RequestId;
      readonly reason?: string | undefined;
    }
  /** The standalone stream has a new reader; the one before ends. */
  | { readonly type: "stream-taken"; readonly session: string; readonly reader: string };

export function isControl(message: BusMessage): message is ControlMessage {
  return message.type !== "event" && message.type !== "begin" && message.type !== "session-changed";
}

/** The place of an event among those of its sender, which may have been stored twice. */
export interface EventOrigin {
  readonly sender: string;
  /** From 1 on. */
  readonly number: number;
  /** An offset that the bus had got to before the event was sent for the first time. */
  readonly since: string;
}

export function encodeBusMessage(message: BusMessage, origin?: EventOrigin): string {
  return JSON.stringify(origin ? { ...message, origin } : message);
}
