import { toPrintable } from "../../lib/text/printable.ts";

/** Marks that reorder text or take no room, beside those that `toPrintable` escapes. */
const hidden =
  /[\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\ufff9-\ufffb]/g;

/**
 * Text of a server for the terminal, or whatever the server sent in its place. Characters that a terminal would obey
 * (escape sequences, carriage returns) and those that hide or reorder text are shown as escapes. Line breaks and tabs stay.
 */
export function escapeText(text: string): string {
  return toPrintable(String(text).replaceAll("\r\n", "\n")).replace(
    hidden,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Likewise on one line: a name or a title must not fake further lines. */
export function escapeLine(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n").replaceAll("\t", " ");
}

/** The first sentence or line, at most so long. */
export function shorten(text: string, most: number): string {
  const [first = ""] = escapeText(text).trim().split("\n", 1);
  const chars = [...first];
  return chars.length <= most ? first : `${chars.slice(0, Math.max(0, most - 1)).join("")}…`;
}

/** JSON for people: indented, and with nothing in it that a terminal obeys. */
export function toShownJson(value: unknown): string {
  return escapeText(JSON.stringify(value, undefined, 2) ?? "null");
}
