const maxLength = 200;

/**
 * Text of a remote party for a log or an error message: one line, shortened. Letters of other alphabets, which may look
 * like those of a known issuer, are replaced like control characters.
 */
export function toAsciiLine(text: string): string {
  const line = text.replace(/[^\x20-\x7e]/g, "?");
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line;
}
