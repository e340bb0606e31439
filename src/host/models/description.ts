import { cutText, toWellFormed } from "../../lib/text/well-formed.ts";

/** Characters that people can't see and models read: a way to hide instructions. Joiners inside emoji are harmless. */
const hidden = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** A description as a model gets it: without hidden characters, and not longer than the provider takes. */
export function toDescription(
  description: string | undefined,
  title: string | undefined,
  max: number,
): string {
  const text = withoutHidden(description || title || "");
  return text.length > max ? `${cutText(text, max - 1)}…` : text;
}

export function withoutHidden(text: string): string {
  const shown = text.replace(hidden, (character) => (/[\n\t]/.test(character) ? character : ""));
  return toWellFormed(shown);
}
