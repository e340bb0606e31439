import { classify, type InvalidMessage, type ParsedMessage } from "../protocol/message.ts";
import { DeepResult } from "../protocol/model/deep-result.ts";
import { endOfString, scanEnvelope } from "../protocol/scan-envelope.ts";
import type { OutgoingRequests } from "./outgoing-requests.ts";

/** A parser needs memory for each level. */
const maxReadableDepth = 1_000;
const maxOutlineLength = 64 * 1024;

/**
 * A message that was refused for its depth or its many parts, with the id by which it answers a request, if it does, and
 * with the result if that is a deep page of a list, of which a part may be usable.
 */
export function readDeepResponse(
  text: string,
  refused: InvalidMessage,
  outgoing: Pick<OutgoingRequests, "isPage">,
): InvalidMessage {
  const message = refused.hasTooManyParts ? readOutline(text) : readDeep(text, refused);
  if (message?.kind !== "response" && message?.kind !== "failure") return refused;
  const answer = { ...refused, id: message.id, mayBeResponse: true, isOneWay: true } as const;
  return refused.isTooDeep && message.kind === "response" && outgoing.isPage(message.id)
    ? { ...answer, deep: new DeepResult(message.result, text.length) }
    : answer;
}

function readDeep(text: string, { isTooDeep }: InvalidMessage): ParsedMessage | undefined {
  if (!isTooDeep || scanEnvelope(text, maxReadableDepth).problem !== undefined) return undefined;
  try {
    return classify(JSON.parse(text));
  } catch {
    // Malformed, too: the depth was found first.
    return undefined;
  }
}

/** The message of a text that costs too much to parse, without the insides of its members; undefined if it is malformed. */
function readOutline(text: string): ParsedMessage | undefined {
  const outline = toOutline(text);
  if (outline.length > maxOutlineLength) return undefined;
  try {
    return classify(JSON.parse(outline));
  } catch {
    return undefined;
  }
}

/** The text without what is inside of the lists and objects that are members of it. */
function toOutline(text: string): string {
  let outline = "";
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      if (at < 0) return "";
    } else if (char === "{" || char === "[") {
      if (++depth === 2) outline += text.slice(from, at + 1);
    } else if ((char === "}" || char === "]") && --depth === 1) from = at;
  }
  return outline + text.slice(from);
}
