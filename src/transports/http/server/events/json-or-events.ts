import type { Heartbeat } from "../../../../lib/async/heartbeat.ts";
import type { HttpReply, ResponseHeaders } from "../http-interface.ts";
import { EventConnection } from "./event-connection.ts";

/** The media types in which a client accepts an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
}

/**
 * The response to one POST: JSON where the result is all there is to send, an event stream as soon
 * as a message goes before it or where the client takes no JSON.
 *
 * basic/transports#sending-messages-to-the-server (2025-11-25)
 */
export class JsonOrEvents {
  readonly #reply: HttpReply;
  readonly #accepts: Accepts;
  readonly #heartbeat: Heartbeat;
  #connection: EventConnection | undefined;

  constructor(reply: HttpReply, accepts: Accepts, heartbeat: Heartbeat) {
    this.#reply = reply;
    this.#accepts = accepts;
    this.#heartbeat = heartbeat;
  }

  get takesJson(): boolean {
    return this.#accepts.json;
  }

  get takesEvents(): boolean {
    return this.#accepts.events;
  }

  /** The event stream, once it has been opened. */
  get connection(): EventConnection | undefined {
    return this.#connection;
  }

  /** Opens the event stream, if it is not open yet. */
  stream(): EventConnection {
    this.#connection ??= EventConnection.open(this.#reply, this.#heartbeat);
    return this.#connection;
  }

  /** Sends the last text. The status and the headers are those of JSON; a stream has begun with its own. */
  finish(status: number, headers: ResponseHeaders, text: string): void {
    if (this.#connection === undefined && this.#accepts.json) return this.#reply.send(status, headers, text);
    const stream = this.stream();
    void stream.send(text);
    stream.end();
  }
}

const everything: Accepts = { json: true, events: true };

/** Headers that were read before: clients send the same ones with each request. */
const known = new Map<string, Accepts>();
const maxKnown = 100;

/** Reads an `Accept` header. Without one every media type is accepted (RFC 9110, section 12.5.1). */
export function readAccept(header: string | undefined): Accepts {
  if (header === undefined || header.trim() === "") return everything;
  const before = known.get(header);
  if (before) return before;
  const accepts = parseAccept(header);
  if (known.size >= maxKnown) known.clear();
  known.set(header, accepts);
  return accepts;
}

function parseAccept(header: string): Accepts {
  const ranges = new Map(header.toLowerCase().split(",").map(readRange));
  // The most specific range decides.
  const takes = (...types: readonly string[]) => types.map((type) => ranges.get(type)).find(isGiven) === true;
  return {
    json: takes("application/json", "application/*", "*/*"),
    events: takes("text/event-stream", "text/*", "*/*"),
  };
}

function isGiven(isAccepted: boolean | undefined): boolean {
  return isAccepted !== undefined;
}

/** A media range, and whether it is accepted. */
function readRange(range: string): [type: string, isAccepted: boolean] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
  return [type, !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))];
}
