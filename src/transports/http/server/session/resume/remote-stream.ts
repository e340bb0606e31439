import type { ClusterNode } from "../../../../../cluster/node.ts";
import { StoredFormatError } from "../../../../../errors.ts";
import { startBackgroundTimer } from "../../../../../lib/async/timers.ts";
import { lostCallError } from "../../../../../protocol/lost-call-error.ts";
import { encodeFailure, type RequestId } from "../../../../../protocol/message.ts";
import { readStream } from "../../../../../state/read-stream.ts";
import { type StoredEvent, streamStart } from "../../../../../state/state.ts";
import { StreamTail } from "../../../../../state/stream-tail.ts";
import type { EventConnection } from "../../events/event-connection.ts";
import { toEventId } from "../../events/event-id.ts";
import { storedFinishedMs, toStreamKey } from "../../events/resumable-stream.ts";
import { encodeEvent, encodePrimingEvent } from "../../events/sse-encode.ts";
import { StreamReader } from "../../events/stream-reader.ts";
import {
  encodeLastMessage,
  encodeMessage,
  encodeTakeover,
  endRecord,
  isEnd,
  type StreamedRequest,
  type StreamRecord,
} from "../../events/stream-record.ts";
import { noteReader } from "../stream-readers.ts";

export interface RemotePosition {
  readonly session: string;
  readonly stream: string;
  /** The node that writes the stream. */
  readonly writer: string;
  readonly offset: string;
  readonly number?: number | undefined;
}

const checkMs = 2_000;
/** The time that a node has to end the streams of a dead one, before another tries it. */
const lockMs = 10_000;

/** The stream of a call that runs on another node, or did: the client reads the rest of it here. */
export class RemoteStream {
  readonly #node: ClusterNode;
  readonly #position: RemotePosition;
  readonly #key: string;
  readonly #reader: StreamReader;

  constructor(node: ClusterNode, position: RemotePosition) {
    this.#node = node;
    this.#position = position;
    this.#reader = new StreamReader(position);
    this.#key = toStreamKey(position.session, position.stream);
  }

  /** True if there is something to read after the position, or will be; undefined when the stream never got there. */
  async hasMore(): Promise<boolean | undefined> {
    const { offset, number } = this.#position;
    const { events } = this.#node.state;
    if ((await events.after(this.#key, offset, 1)) === undefined) return undefined;
    // Only the writer gives numbers. After an answer in its place it may have written more, which does not count.
    if (number !== undefined && (await this.#hasMessageAfter(offset, number))) return true;
    const reader = new StreamReader();
    let isStored = false;
    let isOver = false;
    for await (const event of readStream(events, this.#key)) {
      isOver ||= isEnd(reader.read(event));
      if (isOver && event.offset === offset) return false;
      isStored = true;
    }
    return isStored || undefined;
  }

  /** Sends the rest over a connection, and ends it with the stream. Returns the function that stops it. */
  attach(connection: EventConnection, retryMs: number | undefined, resumeMs: number): () => void {
    const { offset, number } = this.#position;
    const { events, values } = this.#node.state;
    if (retryMs !== undefined) void connection.write(encodePrimingEvent(this.#toId(offset, number), retryMs));
    const parts = {
      events,
      stream: this.#key,
      onEvents: (stored: readonly StoredEvent[]) => this.#send(connection, stored),
      // The next look tries again.
      onFailure: () => {},
    };
    const tail = new StreamTail(parts, offset);
    const stopNoting = noteReader(values, this.#key, resumeMs);
    const check = () => void this.#check(connection, tail);
    const timer = startBackgroundTimer(check, checkMs);
    check();
    return () => {
      stopNoting();
      clearInterval(timer);
      tail.close();
    };
  }

  async #send(connection: EventConnection, events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) {
      const record = this.#readOrEnd(event, connection);
      if (connection.closed) return;
      if (record?.kind === "message")
        await connection.write(encodeEvent(record.text, this.#toId(event.offset, record.number)));
      if (isEnd(record)) return connection.end();
    }
  }

  /** The record of an event. Where a newer node has written it, the connection ends: the client may go on at that one. */
  #readOrEnd(event: StoredEvent, connection: EventConnection): StreamRecord | undefined {
    try {
      return this.#reader.read(event);
    } catch (error) {
      if (!(error instanceof StoredFormatError)) throw error;
      connection.end();
      return undefined;
    }
  }

  async #hasMessageAfter(offset: string, number: number): Promise<boolean> {
    const reader = new StreamReader({ offset, number });
    for await (const event of readStream(this.#node.state.events, this.#key, offset))
      if (reader.read(event)?.kind === "message") return true;
    return false;
  }

  /** Ends the stream of a node that is gone, and the connection to a stream that is gone. */
  async #check(connection: EventConnection, tail: StreamTail): Promise<void> {
    const { events, values } = this.#node.state;
    try {
      const isAlive = await this.#isWriterAlive();
      if (connection.closed) return;
      if ((await events.after(this.#key, this.#reader.offset, 1)) === undefined) {
        await tail.catchUp();
        return connection.end();
      }
      if (!isAlive && (await values.add(`ending/${this.#key}`, "", lockMs))) await this.#endForWriter();
    } catch {
      // The store is away; the next check tries again.
    }
  }

  /** A stream of this node that it does not know was left behind by its session, or lost to another node. */
  async #isWriterAlive(): Promise<boolean> {
    const { writer } = this.#position;
    return writer !== this.#node.id && (await this.#node.liveness.isAlive(writer));
  }

  /**
   * Answers the calls of a dead node, unless it has, or another node. Their readers, here and elsewhere, get it from
   * the store. A writer that is back before the answers are stored makes them void: it is looked for after the stream
   * was read.
   */
  async #endForWriter(): Promise<void> {
    const { events } = this.#node.state;
    const reader = new StreamReader();
    const answered = new Set<RequestId>();
    let requests: readonly StreamedRequest[] = [];
    for await (const event of readStream(events, this.#key)) {
      const record = reader.read(event);
      if (isEnd(record)) return;
      if (record?.kind === "header") requests = record.requests;
      if (record?.kind === "message") answered.add(answeredBy(record.text) ?? "");
    }
    if (reader.offset === streamStart || (await this.#isWriterAlive())) return;
    const errors = requests.filter(({ id }) => !answered.has(id)).map(toLostError);
    const last = errors.pop();
    const records = [
      ...errors.map((error) => encodeMessage(error)),
      last === undefined ? endRecord : encodeLastMessage(last),
    ];
    await events.append(this.#key, encodeTakeover(reader.offset, records), storedFinishedMs);
  }

  #toId(offset: string, number: number | undefined): string {
    const { session, stream } = this.#position;
    return toEventId({ session, stream, offset, number });
  }
}

function answeredBy(text: string): RequestId | undefined {
  const { id, method } = JSON.parse(text) as { readonly id?: RequestId; readonly method?: string };
  return method === undefined ? id : undefined;
}

function toLostError({ id, mayRepeat }: StreamedRequest): string {
  return encodeFailure(id, lostCallError(mayRepeat).toErrorObject());
}
