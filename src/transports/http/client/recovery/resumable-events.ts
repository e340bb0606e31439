import type { PipeSink } from "../../../../contract/pipe.ts";
import { InvalidResponseError, MessageTooLargeError } from "../../../../errors.ts";
import { sleep } from "../../../../lib/async/sleep.ts";
import type { RequestId } from "../../../../protocol/message.ts";
import { type EventStreamLimits, readEventStream } from "../fetch/read-event-stream.ts";
import type { ReceivedResponse } from "../http-exchange.ts";
import type { RetryDelay } from "./retry-delay.ts";

export interface ResumableEvents {
  readonly sink: PipeSink;
  readonly limits: EventStreamLimits;
  readonly delay: RetryDelay;
  readonly signal: AbortSignal;
  /** The request that the stream answers, if it answers one. */
  readonly request?: RequestId;
  /** Called with every piece that arrives. */
  onActivity?(): void;
  /** True once the answer has come. */
  isOver(): boolean;
  /** Called when a connection breaks before that; throws when the stream can't be resumed. */
  onBroken?(lastEventId: string | undefined): void;
  /** Opens the stream again; undefined to try once more later, an error to give up. */
  reopen(lastEventId: string | undefined): Promise<ReceivedResponse | undefined>;
}

/** The ids that a header can carry; a stream with other ids can't be resumed. */
const usableId = /^[\x21-\x7e]{1,1024}$/;

/**
 * Reads the messages of a stream of events, over as many connections as that takes.
 *
 * basic/transports#resumability-and-redelivery (2025-11-25)
 */
export async function readResumableEvents(
  first: ReceivedResponse | undefined,
  following: ResumableEvents,
): Promise<void> {
  const { sink, limits, delay, signal } = following;
  let response = first;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  const reading = {
    onActivity: () => following.onActivity?.(),
    isOver: () => following.isOver(),
    onRetry: (ms: number) => {
      retryMs = ms;
    },
    onMessage: (text: string) => sink.onText(text, undefined, following.request),
    onId: (id: string) => {
      lastEventId = usableId.test(id) ? id : undefined;
    },
  };
  for (;;) {
    if (response) {
      const openedAt = performance.now();
      await untilBroken(readEventStream(response, limits, reading));
      if (following.isOver() || signal.aborted) return;
      delay.resetAfter(performance.now() - openedAt);
      following.onBroken?.(lastEventId);
    }
    await sleep(delay.next(retryMs), signal);
    response = await following.reopen(lastEventId);
  }
}

/** Waits for the end of a connection, however it breaks; throws only for unreadable events. */
async function untilBroken(reading: Promise<void>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof MessageTooLargeError || error instanceof InvalidResponseError) throw error;
  }
}
