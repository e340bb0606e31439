import type { HeaderRecord } from "../../../../contract/channel.ts";
import { CallLostError } from "../../../../errors.ts";
import { sleep } from "../../../../lib/async/sleep.ts";
import type { HttpErrorResponse } from "../fetch/error-response.ts";
import { type OpenedStream, openEventStream } from "../fetch/open-event-stream.ts";
import type { ReceivedResponse } from "../http-exchange.ts";
import { readResumableEvents } from "../recovery/resumable-events.ts";
import { retryAfterMs } from "../recovery/retry-after.ts";
import { RetryDelay } from "../recovery/retry-delay.ts";
import type { OpenRequest } from "./open-request.ts";
import type { ShapeParts } from "./shape-interface.ts";

export interface AnswerStream {
  readonly parts: ShapeParts;
  readonly request: OpenRequest;
  /** The headers of the session in which a broken stream may be resumed; undefined if it may not. */
  readonly resumeWith: HeaderRecord | undefined;
  /** Called with the response when the server refuses to resume. */
  onRefused(errorResponse: HttpErrorResponse): void;
}

/** The time that an unreachable server has to come back for an open call. */
const absenceMs = 1_000;
/** The pause before a second attempt to come back: the first may break as the stream did. */
const secondAttemptMs = 250;

/**
 * Reads the answer to a request from its stream, with the messages before it; resumes a broken stream.
 *
 * basic/transports#resumability-and-redelivery (2025-11-25)
 */
export async function readAnswerStream(first: ReceivedResponse, stream: AnswerStream): Promise<void> {
  const { parts, request, resumeWith } = stream;
  let brokenAt = 0;
  await readResumableEvents(first, {
    sink: parts.sink,
    limits: parts,
    delay: new RetryDelay(),
    signal: request.signal,
    request: request.id,
    onActivity: () => parts.sink.onActivity?.(request.id),
    isOver: () => request.isOver,
    onBroken: (lastEventId) => {
      if (resumeWith === undefined || lastEventId === undefined) throw toLost(request);
      brokenAt = performance.now();
    },
    reopen: (lastEventId = "") => reopen(stream, lastEventId, brokenAt),
  });
}

/** Opens the stream again; undefined when the server is busy, or unreachable but not for long yet. */
async function reopen(
  { parts, request, resumeWith, onRefused }: AnswerStream,
  lastEventId: string,
  brokenAt: number,
): Promise<ReceivedResponse | undefined> {
  const headers = { ...resumeWith, "last-event-id": lastEventId };
  const open = () => openEventStream(parts, headers, request.signal);
  let opened: OpenedStream;
  try {
    opened = await open().catch(async (error) => {
      if (!(error instanceof CallLostError)) throw error;
      await sleep(secondAttemptMs, request.signal);
      return open();
    });
  } catch (error) {
    if (!(error instanceof CallLostError)) throw error;
    if (performance.now() - brokenAt < absenceMs) return undefined;
    throw toLost(request, error);
  }
  if (opened.kind === "events") return opened.response;
  if (opened.kind === "something-else") throw toLost(request);
  // The deadline of the call ends the wait for a server that is busy for good.
  const busyMs = retryAfterMs(opened.errorResponse, Number.POSITIVE_INFINITY);
  if (busyMs !== undefined) {
    await sleep(busyMs, request.signal);
    return undefined;
  }
  onRefused(opened.errorResponse);
  throw toLost(request, opened.errorResponse.error);
}

function toLost({ method }: OpenRequest, cause?: Error): CallLostError {
  const message = `The connection was lost before ${method} was answered; it may have been carried out.`;
  return new CallLostError(message, { lost: "connection", mayRetry: false }, cause && { cause });
}
