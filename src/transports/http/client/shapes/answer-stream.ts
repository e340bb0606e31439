import type { HeaderRecord } from "../../../../contract/channel.ts";
import { CallLostError } from "../../../../errors.ts";
import type { HttpErrorResponse } from "../fetch/error-response.ts";
import { type OpenedStream, openEventStream } from "../fetch/open-event-stream.ts";
import { Backoff } from "../recovery/backoff.ts";
import { readResumableEvents } from "../recovery/resumable-events.ts";
import type { OpenRequest } from "./open-request.ts";
import type { ShapeParts } from "./shape.ts";

export interface AnswerStream {
  readonly parts: ShapeParts;
  readonly request: OpenRequest;
  /** Those that name the session in which a broken stream may be resumed; undefined where none may. */
  readonly resumeWith: HeaderRecord | undefined;
  /** Told why a broken stream may not be resumed. */
  onRefused(errorResponse: HttpErrorResponse): void;
}

/** How long a server that can't be reached may take to come back for a call that is under way. */
const absenceMs = 1_000;

/** Reads the answer to a request from its stream, with all that the server says before; resumes it where it can. */
export async function readAnswerStream(first: Response, stream: AnswerStream): Promise<void> {
  const { parts, request, resumeWith } = stream;
  let brokenAt = 0;
  await readResumableEvents(first, {
    sink: parts.sink,
    limits: parts,
    backOff: new Backoff(),
    signal: request.signal,
    isOver: () => request.isOver,
    onBroken: (lastEventId) => {
      if (resumeWith === undefined || lastEventId === undefined) throw toLost(request);
      brokenAt = performance.now();
    },
    reopen: (lastEventId = "") => reopen(stream, lastEventId, brokenAt),
  });
}

/** Undefined when the server can't be asked now and has not been away for long. */
async function reopen(
  { parts, request, resumeWith, onRefused }: AnswerStream,
  lastEventId: string,
  brokenAt: number,
): Promise<Response | undefined> {
  let opened: OpenedStream;
  try {
    opened = await openEventStream(parts, { ...resumeWith, "last-event-id": lastEventId }, request.signal);
  } catch (error) {
    if (!(error instanceof CallLostError)) throw error;
    if (performance.now() - brokenAt < absenceMs) return undefined;
    throw toLost(request, error);
  }
  if (opened.kind === "events") return opened.response;
  if (opened.kind === "something-else") throw toLost(request);
  onRefused(opened.errorResponse);
  throw toLost(request, opened.errorResponse.error);
}

function toLost({ method }: OpenRequest, cause?: Error): CallLostError {
  const message = `The connection was lost before ${method} was answered; it may have been carried out.`;
  return new CallLostError(message, { lost: "connection", mayRetry: false }, cause && { cause });
}
