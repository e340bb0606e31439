import type { Heartbeat } from "../../../../lib/async/heartbeat.ts";
import type { HttpReply, ResponseHeaders } from "../http-interface.ts";
import type { Accepts } from "../request/accept.ts";
import { EventConnection } from "./event-connection.ts";

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
