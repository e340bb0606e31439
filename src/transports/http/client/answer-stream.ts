import { CallLostError } from "../../../protocol/errors.ts";
import { BackOff } from "./back-off.ts";
import { followEvents } from "./follow-events.ts";
import type { HeaderRecord } from "./http-client-options.ts";
import { getHeaders, type LineParts } from "./line.ts";
import type { Pending } from "./pending.ts";
import { isEventStream } from "./read-body.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { discard } from "./sender.ts";

export interface AnswerStream {
  readonly line: LineParts;
  readonly pending: Pending;
  /** Those that name the session in which a broken stream may be resumed; undefined where none may. */
  readonly resumeWith: HeaderRecord | undefined;
  /** What a refusal to resume means, where it means more than the loss of the call. */
  toLoss(refusal: Refusal): CallLostError | undefined;
}

/** How long a server that can't be reached may take to come back for a call that is under way. */
const absenceMs = 1_000;

/** Reads the answer to a request from its stream, with all that the server says before; resumes it where it can. */
export async function followAnswer(first: Response, stream: AnswerStream): Promise<void> {
  const { line, pending, resumeWith } = stream;
  let brokenAt = 0;
  await followEvents(first, {
    pulse: line.pulse,
    maxBytes: line.maxBytes,
    backOff: new BackOff(),
    signal: pending.signal,
    isOver: () => pending.isOver,
    onMessage: (text) => line.sink.onText(text),
    onBroken: (lastEventId) => {
      if (resumeWith === undefined || lastEventId === undefined) throw toLost(pending);
      brokenAt = performance.now();
    },
    reopen: async (lastEventId = "") => {
      try {
        return await reopen(stream, lastEventId);
      } catch (error) {
        const isAway = error instanceof CallLostError && error.lost === "connection";
        if (isAway && performance.now() - brokenAt < absenceMs) return undefined;
        throw isAway ? toLost(pending, error) : error;
      }
    },
  });
}

async function reopen({ line, pending, resumeWith, toLoss }: AnswerStream, from: string): Promise<Response> {
  const response = await line.sender.send("GET", line.url, {
    headers: { ...getHeaders, ...resumeWith, "last-event-id": from },
    signal: pending.signal,
  });
  if (response.ok && isEventStream(response)) return response;
  if (response.ok) {
    discard(response);
    throw toLost(pending);
  }
  const refusal = await readRefusal(response, "GET", line.url);
  throw toLoss(refusal) ?? toLost(pending, refusal.error);
}

function toLost({ method }: Pending, cause?: Error): CallLostError {
  const message = `The connection was lost before ${method} was answered; it may have been carried out.`;
  return new CallLostError(message, { lost: "connection", mayRetry: false }, cause && { cause });
}
