/** Everything that a terminal obeys, or that hides or reorders text, but line breaks and tabs. */
const unprintable = /(?![\n\t])[\p{Cc}\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Text that a peer may have written, for a terminal: control characters are shown as escapes. */
export function toPrintable(text: string): string {
  return text.replace(unprintable, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Likewise as one line, cut off after `maxLength` characters. */
export function toPrintableLine(text: string, maxLength: number = Number.POSITIVE_INFINITY): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return toPrintable(shown).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
