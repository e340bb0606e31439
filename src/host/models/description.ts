/** Characters that people can't see and models read: a way to hide instructions. Joiners inside emoji are harmless. */
const hidden = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** A description as a model gets it: without hidden characters, and not longer than the provider takes. */
export function toDescription(
  description: string | undefined,
  title: string | undefined,
  max: number,
): string {
  const text = (description || title || "").replace(hidden, (character) =>
    /[\n\t]/.test(character) ? character : "",
  );
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
