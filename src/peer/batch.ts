import type { Batch, InvalidMessage, Message } from "../protocol/message.ts";
import { methods } from "../protocol/method-table.ts";
import { type Reply, refuseRequest } from "./responder.ts";

/** Handles one message, which came in a text of this size; returns the response to it, if it gets one. */
type HandleMessage = (message: Message | InvalidMessage, size: number) => Reply | Promise<Reply>;

/** Handles the messages of a batch, which came in a text of this size; returns the batch of the responses. */
export async function answerBatch({ messages }: Batch, size: number, handle: HandleMessage): Promise<Reply> {
  const share = Math.ceil(size / messages.length);
  const replies = await Promise.all(
    messages.map((message) =>
      // basic/lifecycle#initialization (2025-03-26)
      message.kind === "request" && methods.get(message.method)?.opens
        ? refuseRequest(message.id, `${message.method} may not be part of a batch.`)
        : handle(message, share),
    ),
  );
  const texts = replies.filter((reply) => reply !== undefined);
  return texts.length > 0 ? `[${texts.join(",")}]` : undefined;
}
