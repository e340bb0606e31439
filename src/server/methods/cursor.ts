import { fromBase64url, toBase64url } from "../../lib/encoding/base64.ts";
import { decodeUtf8 } from "../../lib/encoding/utf8.ts";

// Cursors are opaque to clients, but not secret: they hold only a position in a list that the client may read anyway.
const maxLength = 256;

/** Encodes the position after which the next page of a list begins. */
export function encodeCursor(list: string, position: readonly number[]): string {
  const cursor = write(list, position);
  if (!position.every(isIndex) || cursor.length > maxLength) {
    throw new RangeError(
      `A cursor can't hold the position [${position}]; use a few whole numbers of 0 or more.`,
    );
  }
  return cursor;
}

/**
 * The position in `list`; undefined for anything that {@link encodeCursor} did not write for that list.
 *
 * server/utilities/pagination#error-handling (2025-11-25)
 */
export function decodeCursor(list: string, cursor: string): readonly number[] | undefined {
  if (!/^[\w-]{1,256}$/.test(cursor)) return undefined;
  const text = decodeUtf8(fromBase64url(cursor) ?? new Uint8Array());
  const position = text?.split(",").slice(1).map(Number);
  // Each position has one spelling: "1e3", "01" and "" are refused here, as is another list.
  return position?.every(isIndex) && write(list, position) === cursor ? position : undefined;
}

function write(list: string, position: readonly number[]): string {
  const text = [encodeURIComponent(list), ...position].join(",");
  return toBase64url(new TextEncoder().encode(text));
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
