import { toWellFormed } from "../../lib/text/well-formed.ts";

/** Characters with a role in URI syntax, which differ from their escaped form. */
export const reservedCharacters = ":/?#[]@!$&'()*+,;=";
const firstMark = 0xfdd0;

/** The mark of an escaped slash in the text that {@link decodeOnce} returns. */
export const slashMark: number = firstMark + /* @__PURE__ */ reservedCharacters.indexOf("/");

/** Escapes everything but unreserved characters. */
export function encodeValue(text: string): string {
  return encodeURIComponent(toWellFormed(text)).replace(/[!'()*]/g, toTriplet);
}

/** Escapes what no URI may hold; reserved characters and escapes that are already there stay. */
export function encodeReserved(text: string): string {
  return toWellFormed(text).replace(/%[0-9A-Fa-f]{2}|[^\w\-.~:/?#[\]@!$&'()*+,;=]/gu, (found) =>
    found.length === 3 ? found : encodeURIComponent(found),
  );
}

/**
 * Decodes percent-escapes exactly once, or gives undefined where they are malformed.
 *
 * An escaped reserved character becomes a mark (one of the noncharacters U+FDD0 and on), so that it never acts
 * as the separator it spells; `unmark` makes it itself again. Characters that a URI must escape are taken raw
 * too, as browsers do, except controls, lone surrogates and braces, with which a template would match itself. A text
 * that holds NUL or one of the marks in any spelling is refused.
 */
export function decodeOnce(text: string): string | undefined {
  if (/[\p{Cc}\p{Cs}\ufdd0-\ufdef{}]|%EF%B7%[9A]/iu.test(text)) return undefined;
  if (!text.includes("%")) return text;
  const marked = text.replace(/%[0-9A-F]{2}/gi, (triplet) => {
    const index = reservedCharacters.indexOf(String.fromCharCode(Number.parseInt(triplet.slice(1), 16)));
    return index < 0 ? triplet : String.fromCharCode(firstMark + index);
  });
  try {
    const decoded = decodeURIComponent(marked);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Turns the marks of {@link decodeOnce} into the characters they stand for. */
export function unmark(text: string): string {
  return text.replace(/[\ufdd0-\ufdef]/g, (mark) =>
    reservedCharacters.charAt(mark.charCodeAt(0) - firstMark),
  );
}

/** The first `length` characters, never half of one. */
export function firstCharacters(text: string, length: number): string {
  return Array.from(text.slice(0, length * 2))
    .slice(0, length)
    .join("");
}

function toTriplet(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
