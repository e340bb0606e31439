import { createParser } from "eventsource-parser";
import { Deadline } from "../../../peer/deadline.ts";
import { InvalidAnswerError, MessageTooLargeError } from "../../../protocol/errors.ts";

/** What is known of how a server keeps its streams alive, over all of them. */
export interface Pulse {
  /** Set once it has sent a sign of life that said nothing else. */
  beats: boolean;
  readonly silenceMs: number;
}

/** What any stream of a server is read with. */
export interface StreamLimits {
  readonly pulse: Pulse;
  readonly maxBytes: number;
}

export interface Reading {
  onMessage(text: string): void;
  /** Told of events of other kinds than messages. */
  onOther?(kind: string, data: string): void;
  /** Told where to resume from, before the message that it belongs to. */
  onId?(id: string): void;
  onRetry?(ms: number): void;
  /** Whether all that was wanted has come. The rest may still end by itself, which keeps the connection usable. */
  isOver?(): boolean;
}

const lingerMs = 1_000;

/** Reads events until the stream ends; rejects when it breaks or holds what can't be read. */
export async function readEvents(
  response: Response,
  { pulse, maxBytes }: StreamLimits,
  reading: Reading,
): Promise<void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  const watch = new SilenceWatch(pulse, stop);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isTooLarge = false;
  let linger: ReturnType<typeof setTimeout> | undefined;
  const parser = createParser({
    onEvent: ({ id, event = "message", data }) => {
      if (id !== undefined) reading.onId?.(id);
      if (event !== "message") reading.onOther?.(event, data);
      // One without data only says where to resume from.
      else if (data !== "") reading.onMessage(data);
    },
    onRetry: (ms) => reading.onRetry?.(ms),
    onComment: () => watch.onBeat(),
    onError: ({ type }) => {
      isTooLarge ||= type === "max-buffer-size-exceeded";
    },
    maxBufferSize: maxBytes,
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watch.extend();
      parser.feed(decode(decoder, value));
      if (isTooLarge) throw new MessageTooLargeError(maxBytes, undefined);
      if (reading.isOver?.()) linger ??= setTimeout(stop, lingerMs);
    }
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
    throw new InvalidAnswerError("A stream of events is not valid UTF-8.", { cause: error });
  }
}

/** Tells when a stream that should beat has fallen silent: its other end may be gone without a word. */
class SilenceWatch {
  readonly #pulse: Pulse;
  readonly #onSilence: () => void;
  #deadline: Deadline | undefined;

  constructor(pulse: Pulse, onSilence: () => void) {
    this.#pulse = pulse;
    this.#onSilence = onSilence;
    if (pulse.beats) this.#arm();
  }

  onBeat(): void {
    this.#pulse.beats = true;
    if (this.#deadline === undefined) this.#arm();
  }

  extend(): void {
    this.#deadline?.extend();
  }

  stop(): void {
    this.#deadline?.stop();
  }

  #arm(): void {
    const timeout = { idle: this.#pulse.silenceMs, total: Number.POSITIVE_INFINITY };
    this.#deadline = new Deadline("A stream", timeout, this.#onSilence);
  }
}
