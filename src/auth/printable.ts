const maxLength = 200;

/** Text of a remote party for a log or an error message: shortened, and without terminal control characters. */
export function toPrintable(text: string): string {
  const line = text.replace(/[^\x20-\x7e]/g, "?");
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line;
}
