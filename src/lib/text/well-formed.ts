/** The text without halves of characters: no encoding of Unicode has them, and JSON with them is refused by many. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\ufffd");
}

/** The first characters of a text, at most this many UTF-16 units, and never half of one. */
export function cutText(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
