import type { ServerEvent } from "../contract/server-event.ts";
import { isObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";

/** A message to all nodes of a server. */
export type BusMessage =
  | { readonly type: "event"; readonly event: ServerEvent }
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
  return message.type !== "event" && message.type !== "session-changed";
}

/** The place of an event among those of its sender, which may have been stored twice. */
export interface Origin {
  readonly sender: string;
  readonly number: number;
}

export function encodeBusMessage(message: BusMessage, origin?: Origin): string {
  return JSON.stringify(origin ? { ...message, origin } : message);
}

const maxSenders = 1_000;

/** Reads messages in their order, each once. */
export class BusReader {
  readonly #numbers = new Map<string, number>();

  /** Undefined for a message that came before, and for one of a newer node that this one does not know. */
  read(text: string): BusMessage | undefined {
    const message = tryParse(text);
    if (!isObject(message) || typeof message.type !== "string") return undefined;
    const { origin, ...rest } = message as unknown as BusMessage & { readonly origin?: Origin };
    return origin && this.#isKnown(origin) ? undefined : rest;
  }

  #isKnown({ sender, number }: Origin): boolean {
    const last = this.#numbers.get(sender);
    if (last !== undefined && number <= last) return true;
    this.#numbers.delete(sender);
    this.#numbers.set(sender, number);
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > maxSenders && oldest !== undefined) this.#numbers.delete(oldest);
    return false;
  }
}

/** A text that can't be read must not keep a node from those after it. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
