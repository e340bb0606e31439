import type { ClusterNode } from "../../../../cluster/node.ts";
import { RpcError } from "../../../../errors.ts";
import { startBackgroundTimer } from "../../../../lib/async/timers.ts";
import { encodeFailure, type RequestId } from "../../../../protocol/message.ts";
import { WireCode } from "../../../../protocol/wire-error.ts";
import { type StoredEvent, streamStart } from "../../../../state/state.ts";
import { StreamTail } from "../../../../state/stream-tail.ts";
import type { EventConnection } from "../events/event-connection.ts";
import { toEventId } from "../events/event-id.ts";
import { storedFinishedMs, toStreamKey } from "../events/resumable-stream.ts";
import { encodeEvent, encodePrimingEvent } from "../events/sse-encode.ts";
import {
  decodeRecord,
  encodeLastMessage,
  encodeMessage,
  endRecord,
  isEnd,
  type StreamedRequest,
} from "../events/stream-record.ts";
import { noteReader } from "./stream-readers.ts";

export interface RemotePosition {
  readonly session: string;
  readonly stream: string;
  /** The node that writes the stream. */
  readonly writer: string;
  readonly offset: string;
  readonly number?: number | undefined;
}

const checkMs = 2_000;
/** Events that are read from the store at once. */
const pageSize = 256;
/** The time that a node has to end the streams of a dead one, before another tries it. */
const lockMs = 10_000;

/** The stream of a call that runs on another node, or did: the client reads the rest of it here. */
export class RemoteStream {
  readonly #node: ClusterNode;
  readonly #position: RemotePosition;
  readonly #key: string;
  #connection: EventConnection | undefined;
  /** The number of the last message that was sent. */
  #number: number;

  constructor(node: ClusterNode, position: RemotePosition) {
    this.#node = node;
    this.#position = position;
    this.#number = position.number ?? -1;
    this.#key = toStreamKey(position.session, position.stream);
  }

  /** Whether there is something to read after the position, or will be; undefined when the stream never got there. */
  async hasMore(): Promise<boolean | undefined> {
    const next = await this.#node.state.events.after(this.#key, this.#position.offset, 1);
    if (next === undefined || next.length > 0) return next && true;
    let isStored = false;
    for await (const { text } of this.#readAll()) {
      if (isEnd(text)) return false;
      isStored = true;
    }
    return isStored || undefined;
  }

  /** Sends the rest over a connection, and ends it with the stream. Returns the function that stops it. */
  attach(connection: EventConnection, retryMs: number | undefined, resumeMs: number): () => void {
    const { offset, number } = this.#position;
    this.#connection = connection;
    if (retryMs !== undefined) void connection.write(encodePrimingEvent(this.#toId(offset, number), retryMs));
    const parts = {
      events: this.#node.state.events,
      stream: this.#key,
      onEvents: (events: readonly StoredEvent[]) => this.#send(events),
      // The next look tries again.
      onFailure: () => {},
    };
    const tail = new StreamTail(parts, offset);
    const stopNoting = noteReader(this.#node.state.values, this.#key, resumeMs);
    const timer = startBackgroundTimer(() => void this.#check(), checkMs);
    void this.#check();
    return () => {
      stopNoting();
      clearInterval(timer);
      tail.close();
    };
  }

  async #send(events: readonly StoredEvent[]): Promise<void> {
    for (const { offset, text } of events) {
      const record = decodeRecord(text);
      if (record.kind === "message" && !this.#isDouble(record.number))
        await this.#connection?.write(encodeEvent(record.text, this.#toId(offset, record.number)));
      if (isEnd(text)) return this.#connection?.end();
    }
  }

  /** Ends the stream of a node that is gone. */
  async #check(): Promise<void> {
    const { writer } = this.#position;
    try {
      // A stream of this node that it does not know was left behind by its session.
      const isAlive = writer !== this.#node.id && (await this.#node.liveness.isAlive(writer));
      if (isAlive || this.#connection?.closed) return;
      if (await this.#node.state.values.add(`ending/${this.#key}`, "", lockMs)) await this.#endForWriter();
    } catch {
      // The store is away; the next check tries again.
    }
  }

  /** Answers the calls of a dead node, unless it has, or another node. Their readers, here and elsewhere, get it from the store. */
  async #endForWriter(): Promise<void> {
    const answered = new Set<RequestId>();
    let requests: readonly StreamedRequest[] = [];
    for await (const { text } of this.#readAll()) {
      if (isEnd(text)) return;
      const record = decodeRecord(text);
      if (record.kind === "header") requests = record.requests;
      if (record.kind === "message") answered.add(answeredBy(record.text) ?? "");
    }
    const errors = requests.filter(({ id }) => !answered.has(id)).map(toLostError);
    const last = errors.pop();
    const records = [
      ...errors.map((error) => encodeMessage(error)),
      last === undefined ? endRecord : encodeLastMessage(last),
    ];
    await this.#node.state.events.append(this.#key, records, storedFinishedMs);
  }

  async *#readAll(): AsyncGenerator<StoredEvent> {
    let offset = streamStart;
    for (;;) {
      const page = (await this.#node.state.events.after(this.#key, offset, pageSize)) ?? [];
      yield* page;
      if (page.length < pageSize) return;
      offset = page.at(-1)?.offset ?? offset;
    }
  }

  /** Whether a message was sent before: a writer that had no answer of the store has stored it again. */
  #isDouble(number: number | undefined): boolean {
    if (number === undefined) return false;
    if (number <= this.#number) return true;
    this.#number = number;
    return false;
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
  const advice = mayRepeat
    ? "it may be repeated"
    : "it may have had effects, so repeat it only if that does no harm";
  const message = `The node that ran this call is gone; ${advice}.`;
  return encodeFailure(
    id,
    new RpcError(WireCode.internal, message, { retryable: mayRepeat }).toErrorObject(),
  );
}
