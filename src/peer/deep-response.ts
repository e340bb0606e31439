import { classify, type InvalidMessage } from "../protocol/message.ts";
import { DeepResult } from "../protocol/model/deep-result.ts";
import { scanEnvelope } from "../protocol/scan-envelope.ts";

/** A parser needs memory for each level. */
const maxReadableDepth = 1_000;

/** A message that was refused for its depth, with the id and the result by which it answers a request, if it does. */
export function readDeepResponse(text: string, refused: InvalidMessage): InvalidMessage {
  if (!refused.isTooDeep || scanEnvelope(text, maxReadableDepth).problem !== undefined) return refused;
  const message = parse(text);
  if (message?.kind !== "response" && message?.kind !== "failure") return refused;
  const answer = { ...refused, id: message.id, mayBeResponse: true, isOneWay: true } as const;
  return message.kind === "failure"
    ? answer
    : { ...answer, deep: new DeepResult(message.result, text.length) };
}

function parse(text: string): ReturnType<typeof classify> | undefined {
  try {
    return classify(JSON.parse(text));
  } catch {
    // Malformed, too: the depth was found first.
    return undefined;
  }
}
