import { Deadline } from "../../../../contract/deadline.ts";
import { InvalidResponseError, MessageTooLargeError } from "../../../../errors.ts";
import type { ReceivedResponse } from "../http-exchange.ts";
import { EventParser } from "./event-parser.ts";

/** The heartbeat of a server, learned from all of its streams. */
export interface StreamHeartbeat {
  /** Set once the server has sent a comment as a sign of life. */
  hasHeartbeat: boolean;
  readonly silenceMs: number;
}

/** The limits of every stream of a server. */
export interface EventStreamLimits {
  readonly heartbeat: StreamHeartbeat;
  readonly maxBytes: number;
}

export interface EventStreamHandlers {
  /** Called with every piece that arrives, also with those that are only a heartbeat. */
  onActivity?(): void;
  onMessage(text: string): void;
  /** Called with events of other kinds than messages. */
  onOther?(kind: string, data: string): void;
  /** Called with the id to resume from, before the message of that event. */
  onId?(id: string): void;
  onRetry?(ms: number): void;
  /** True once the answer has come. The stream then has a moment to end by itself, which keeps the connection usable. */
  isOver?(): boolean;
}

const lingerMs = 1_000;

/** Reads events until the stream ends; rejects when it breaks or holds what can't be read. */
export async function readEventStream(
  response: ReceivedResponse,
  { heartbeat, maxBytes }: EventStreamLimits,
  reading: EventStreamHandlers,
): Promise<void> {
  const stop = () => response.discardBody();
  const watch = new SilenceWatch(heartbeat, stop);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let linger: ReturnType<typeof setTimeout> | undefined;
  const parser = new EventParser({
    maxChars: maxBytes,
    onEvent: ({ id, kind, data }) => {
      if (id !== undefined) reading.onId?.(id);
      if (kind !== "message") reading.onOther?.(kind, data);
      // An event without data only carries an id to resume from. `[DONE]` is how some gateways end a stream.
      else if (data !== "" && data !== "[DONE]") reading.onMessage(data);
    },
    onRetry: (ms) => reading.onRetry?.(ms),
    onComment: () => watch.onBeat(),
    onTooLarge: () => {
      throw new MessageTooLargeError(maxBytes, undefined);
    },
  });
  try {
    await response.readBody((piece) => {
      watch.extend();
      reading.onActivity?.();
      parser.feed(decode(decoder, piece));
      if (reading.isOver?.()) linger ??= setTimeout(stop, lingerMs);
    });
  } finally {
    watch.stop();
    clearTimeout(linger);
    stop();
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw new InvalidResponseError("A stream of events is not valid UTF-8.", { cause: error });
  }
}

/** Watches for a missing heartbeat: a connection may break without a sign. */
class SilenceWatch {
  readonly #heartbeat: StreamHeartbeat;
  readonly #onSilence: () => void;
  #deadline: Deadline | undefined;

  constructor(heartbeat: StreamHeartbeat, onSilence: () => void) {
    this.#heartbeat = heartbeat;
    this.#onSilence = onSilence;
    if (heartbeat.hasHeartbeat) this.#arm();
  }

  onBeat(): void {
    this.#heartbeat.hasHeartbeat = true;
    if (this.#deadline === undefined) this.#arm();
  }

  extend(): void {
    this.#deadline?.extend();
  }

  stop(): void {
    this.#deadline?.stop();
  }

  #arm(): void {
    const timeout = { idle: this.#heartbeat.silenceMs, total: Number.POSITIVE_INFINITY };
    this.#deadline = new Deadline("A stream", timeout, this.#onSilence);
  }
}
