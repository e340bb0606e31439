import { createParser } from "eventsource-parser";
import { Deadline } from "../../../../contract/deadline.ts";
import { InvalidResponseError, MessageTooLargeError } from "../../../../errors.ts";

/** What is known of how a server keeps its streams alive, over all of them. */
export interface StreamHeartbeat {
  /** Set once it has sent a sign of life that said nothing else. */
  hasHeartbeat: boolean;
  readonly silenceMs: number;
}

/** What any stream of a server is read with. */
export interface StreamLimits {
  readonly pulse: StreamHeartbeat;
  readonly maxBytes: number;
}

export interface EventStreamHandlers {
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
export async function readEventStream(
  response: Response,
  { pulse, maxBytes }: StreamLimits,
  reading: EventStreamHandlers,
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
    throw new InvalidResponseError("A stream of events is not valid UTF-8.", { cause: error });
  }
}

/** Tells when a stream that should beat has fallen silent: its other end may be gone without a word. */
class SilenceWatch {
  readonly #pulse: StreamHeartbeat;
  readonly #onSilence: () => void;
  #deadline: Deadline | undefined;

  constructor(pulse: StreamHeartbeat, onSilence: () => void) {
    this.#pulse = pulse;
    this.#onSilence = onSilence;
    if (pulse.hasHeartbeat) this.#arm();
  }

  onBeat(): void {
    this.#pulse.hasHeartbeat = true;
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
