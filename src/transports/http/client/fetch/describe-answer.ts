import { InvalidResponseError } from "../../../../errors.ts";
import { maskText } from "../../../../lib/text/mask-text.ts";
import { toPrintableLine } from "../../../../lib/text/printable.ts";
import { mediaTypeOf, type ReceivedResponse } from "../http-exchange.ts";

/** The error of a request whose response has something else than a message, so that its server may not speak MCP. */
export class NotAMessageError extends InvalidResponseError {
  override readonly name: string = InvalidResponseError.name;
}

/** A stranger's text may have many megabytes; no more than this is looked at. */
const maxRead = 4_096;
const maxShown = 100;
const maxErrorShown = 200;

/** The body of a response that is not a message, in a few words: `an HTML page ("Welcome")`. */
export function describeAnswer(response: ReceivedResponse, text: string): string {
  const head = text.trimStart().slice(0, maxRead);
  if (head === "") return "nothing";
  const type = mediaTypeOf(response);
  if (type === "text/html" || /^<(?:!doctype html|html)/i.test(head)) {
    const title = readTitle(head);
    return title === "" ? "an HTML page" : `an HTML page ("${title}")`;
  }
  const what = type.includes("json") && /^[{[]/.test(head) ? "JSON" : type || "text";
  return `${what} that is not a message of MCP: ${toPrintableLine(maskText(head.trimEnd()), maxShown)}`;
}

/** The text of a response with an error status, without secrets, as one line, and the scopes that it asks for. */
export function describeError(response: ReceivedResponse, text: string): string {
  const said = describeErrorText(response, text);
  const scopes = readNeededScopes(response);
  if (scopes.every((scope) => said.includes(scope))) return said;
  const needed = `the token needs the scopes ${toPrintableLine(scopes.join(" "), maxShown)}`;
  return said === "" ? needed : `${said} (${needed})`;
}

/** The scopes in the challenge of a refusal for lack of them (RFC 6750, section 3.1). */
function readNeededScopes(response: ReceivedResponse): readonly string[] {
  const challenge = response.header("www-authenticate")?.slice(0, maxRead) ?? "";
  if (response.status !== 403 || !/\berror="?insufficient_scope\b/.test(challenge)) return [];
  const [, scope = ""] = /[\s,]scope="?([^",]*)/.exec(challenge) ?? [];
  return scope.split(" ").filter(Boolean);
}

function describeErrorText(response: ReceivedResponse, text: string): string {
  if (mediaTypeOf(response).startsWith("text/html")) return describeErrorPage(response, text);
  return toPrintableLine(maskText(text.slice(0, maxRead).trim()), maxErrorShown);
}

/** The page of a response with an error status, by its title; empty if that only repeats the status. */
function describeErrorPage({ status, statusText }: ReceivedResponse, html: string): string {
  const title = readTitle(html);
  const rest = title.replace(String(status), "").replace(statusText, "");
  return /[\p{L}\p{N}]/u.test(rest) ? `a page, "${title}"` : "";
}

/** The title of an HTML page, as one line; empty if it has none. */
function readTitle(html: string): string {
  // No part of the pattern goes over a "<", so that each character is looked at only a few times.
  const [, title = ""] = /<title[^<>]*>([^<]*)/i.exec(html.slice(0, maxRead)) ?? [];
  return toPrintableLine(maskText(title.trim().replace(/\s+/g, " ")), maxShown);
}
