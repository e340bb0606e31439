import { classify, type InvalidMessage, type ParsedMessage } from "../protocol/message.ts";
import { DeepResult } from "../protocol/model/deep-result.ts";
import { parseMessage } from "../protocol/parse.ts";
import { endOfString, scanEnvelope } from "../protocol/scan-envelope.ts";
import type { OutgoingRequests } from "./outgoing-requests.ts";

/** A parser needs memory for each level. */
const maxReadableDepth = 1_000;
const maxOutlineLength = 64 * 1024;

/** A message that was refused before it was parsed, with its id and what it was meant as, as far as its outline shows it. */
export function identifyUnparsed(text: string, refused: InvalidMessage): InvalidMessage {
  const message = readOutline(text);
  switch (message?.kind) {
    case "request":
      return { ...refused, id: message.id };
    case "notification":
      return { ...refused, isOneWay: true };
    case "response":
    case "failure":
      return { ...refused, id: message.id, mayBeResponse: true, isOneWay: true };
    default:
      return refused;
  }
}

/**
 * Identifies such a message if it is a response, and adds the result if that is a deep page of a list, of which a part
 * may be usable.
 */
export function readUnparsedResponse(
  text: string,
  refused: InvalidMessage,
  outgoing: Pick<OutgoingRequests, "isPage">,
): InvalidMessage {
  const answer = identifyUnparsed(text, refused);
  const { id, mayBeResponse, unparsed } = answer;
  if (!mayBeResponse) return refused;
  const isDeepPage = unparsed === "too-deep" && id !== undefined && outgoing.isPage(id);
  const message = isDeepPage ? readDeep(text) : undefined;
  return message?.kind === "response"
    ? { ...answer, deep: new DeepResult(message.result, text.length) }
    : answer;
}

function readDeep(text: string): ParsedMessage | undefined {
  if (scanEnvelope(text, maxReadableDepth).problem !== undefined) return undefined;
  try {
    return classify(JSON.parse(text));
  } catch {
    // Malformed, too: the depth was found first.
    return undefined;
  }
}

/** The message of a text that costs too much to parse, without the insides of its members. */
function readOutline(text: string): ParsedMessage | undefined {
  const outline = toOutline(text);
  return outline.length > maxOutlineLength ? undefined : parseMessage(outline);
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
