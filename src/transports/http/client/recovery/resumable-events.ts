import type { PipeSink } from "../../../../contract/pipe.ts";
import { InvalidResponseError, MessageTooLargeError } from "../../../../errors.ts";
import { sleep } from "../../../../lib/sleep.ts";
import { readEventStream, type StreamLimits } from "../fetch/read-event-stream.ts";
import type { Backoff } from "./backoff.ts";

export interface ResumableEvents {
  readonly sink: PipeSink;
  readonly limits: StreamLimits;
  readonly backOff: Backoff;
  readonly signal: AbortSignal;
  /** Whether all that was wanted has come. */
  isOver(): boolean;
  /** Told each time that a connection is gone before all has come; throws when the stream can't go on from there. */
  onBroken?(lastEventId: string | undefined): void;
  /** Opens the stream again; undefined to try once more later, an error to give up. */
  reopen(lastEventId: string | undefined): Promise<Response | undefined>;
}

/** What may stand in a header; a stream whose events have other ids can't be resumed. */
const usableId = /^[\x21-\x7e]{1,1024}$/;

/** Takes the messages of a stream of events, over as many connections as that takes. */
export async function readResumableEvents(
  first: Response | undefined,
  following: ResumableEvents,
): Promise<void> {
  const { sink, limits, backOff, signal } = following;
  let response = first;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  const reading = {
    isOver: () => following.isOver(),
    onRetry: (ms: number) => {
      retryMs = ms;
    },
    onMessage: (text: string) => sink.onText(text),
    onId: (id: string) => {
      lastEventId = usableId.test(id) ? id : undefined;
    },
  };
  for (;;) {
    if (response) {
      const openedAt = performance.now();
      await untilBroken(readEventStream(response, limits, reading));
      if (following.isOver() || signal.aborted) return;
      backOff.resetAfter(performance.now() - openedAt);
      following.onBroken?.(lastEventId);
    }
    await sleep(backOff.next(retryMs), signal);
    response = await following.reopen(lastEventId);
  }
}

/** A connection may break in any way, but what came over it must have been readable. */
async function untilBroken(reading: Promise<void>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof MessageTooLargeError || error instanceof InvalidResponseError) throw error;
  }
}
