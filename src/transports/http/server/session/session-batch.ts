import type { RpcError } from "../../../../errors.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import {
  type Batch,
  encodeFailure,
  isMalformedResponse,
  type Message,
  type RpcRequest,
} from "../../../../protocol/message.ts";
import { sendError } from "../error-response.ts";
import type { HttpReply } from "../http-interface.ts";
import { acknowledge } from "../notify-listeners.ts";
import { refuseWithoutId } from "../request/posted-message.ts";
import type { HttpSession } from "./http-session.ts";
import { answerSessionCall, type SessionCallParts } from "./session-call.ts";

interface BatchParts {
  readonly reply: HttpReply;
  readonly session: HttpSession;
  /** The error of a notification that is beyond the limits. */
  notifyListeners(message: Message): MaybePromise<RpcError | undefined>;
  /** Begins the reply that joins so many answers. */
  toCallParts(requests: readonly RpcRequest[], answers: number): SessionCallParts;
}

/**
 * Receives a batch (2025-03-26) in one POST of a session, and answers its requests together.
 *
 * basic#batching (2025-03-26)
 */
export async function receiveBatch({ messages }: Batch, parts: BatchParts): Promise<void> {
  const { reply, session } = parts;
  if (!session.session.revision.receivesBatches)
    return sendError(reply, 400, "Batches are not part of the revision in use.");
  const requests = messages.filter((message) => message.kind === "request");
  let refusal: RpcError | undefined;
  for (const message of messages) {
    if (message.kind === "request") continue;
    if (message.kind === "invalid") {
      if (isMalformedResponse(message)) await session.receive(message);
      continue;
    }
    refusal = (await parts.notifyListeners(message)) ?? refusal;
    await session.receive(message);
  }
  const invalid = messages.filter((message) => message.kind === "invalid");
  const answered = invalid.filter(({ isOneWay }) => isOneWay !== true);
  const answers = requests.length + answered.length;
  if (answers === 0) {
    const [malformed] = invalid;
    return malformed ? refuseWithoutId(reply, malformed) : acknowledge(reply, refusal);
  }
  const callParts = parts.toCallParts(requests, answers);
  for (const { id, error } of answered) await callParts.reply.finish(encodeFailure(id ?? null, error));
  await Promise.all(requests.map((request) => answerSessionCall(request, callParts)));
}
