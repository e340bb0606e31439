import { isObject } from "../../../../lib/json.ts";
import { toPrintableLine } from "../../../../lib/text/printable.ts";
import { mediaTypeOf, type ReceivedResponse } from "../http-exchange.ts";

const maxShown = 100;

/** The body of a response that is not a message, in a few words: `an HTML page ("Welcome")`. */
export function describeAnswer(response: ReceivedResponse, text: string): string {
  if (text.trim() === "") return "nothing";
  if (isHtml(response, text)) {
    const title = readTitle(text);
    return title === "" ? "an HTML page" : `an HTML page ("${title}")`;
  }
  const what = isJson(text) ? "JSON" : mediaTypeOf(response) || "text";
  return `${what} that is not a message of MCP: ${toPrintableLine(text.trim(), maxShown)}`;
}

/** The title of an HTML page, as one line; empty if it has none. */
export function readTitle(html: string): string {
  const [, title = ""] = /<title[^>]*>([^<]*)/i.exec(html) ?? [];
  return toPrintableLine(title.trim().replace(/\s+/g, " "), maxShown);
}

function isHtml(response: ReceivedResponse, text: string): boolean {
  return mediaTypeOf(response) === "text/html" || /^\s*<(?:!doctype html|html)/i.test(text);
}

function isJson(text: string): boolean {
  try {
    return isObject(JSON.parse(text)) || text.trim().startsWith("[");
  } catch {
    // Text that only begins like JSON.
    return false;
  }
}
