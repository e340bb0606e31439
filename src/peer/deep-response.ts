import { classify, type InvalidMessage } from "../protocol/message.ts";
import { DeepResult } from "../protocol/model/deep-result.ts";
import { scanEnvelope } from "../protocol/scan-envelope.ts";
import type { OutgoingRequests } from "./outgoing-requests.ts";

/** A parser needs memory for each level. */
const maxReadableDepth = 1_000;

/**
 * A message that was refused for its depth, with the id by which it answers a request, if it does, and with the result
 * if that is a page of a list, of which a part may be usable.
 */
export function readDeepResponse(
  text: string,
  refused: InvalidMessage,
  outgoing: Pick<OutgoingRequests, "isPage">,
): InvalidMessage {
  if (!refused.isTooDeep || scanEnvelope(text, maxReadableDepth).problem !== undefined) return refused;
  const message = parse(text);
  if (message?.kind !== "response" && message?.kind !== "failure") return refused;
  const answer = { ...refused, id: message.id, mayBeResponse: true, isOneWay: true } as const;
  return message.kind === "response" && outgoing.isPage(message.id)
    ? { ...answer, deep: new DeepResult(message.result, text.length) }
    : answer;
}

function parse(text: string): ReturnType<typeof classify> | undefined {
  try {
    return classify(JSON.parse(text));
  } catch {
    // Malformed, too: the depth was found first.
    return undefined;
  }
}
