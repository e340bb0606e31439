// Cursors are opaque to clients, but not secret: they hold only a place in a list that the client may read anyway.
const MAX_LENGTH = 256;

/** Writes down the place where the next page of a list goes on. */
export function encodeCursor(list: string, position: readonly number[]): string {
  const cursor = write(list, position);
  if (!position.every(isIndex) || cursor.length > MAX_LENGTH) {
    throw new RangeError(
      `No cursor can hold [${position}]; use few numbers, each a safe integer of 0 or more.`,
    );
  }
  return cursor;
}

/** The place in `list`; undefined for anything that {@link encodeCursor} did not write for that list. */
export function decodeCursor(list: string, cursor: string): readonly number[] | undefined {
  if (!/^[\w-]{1,256}$/.test(cursor)) return undefined;
  try {
    const [, ...numbers] = atob(cursor.replaceAll("-", "+").replaceAll("_", "/")).split(",");
    const position = numbers.map(Number);
    // One place has one spelling: "1e3", "01", "" and stray bits at the end are refused here, as is another list.
    return position.every(isIndex) && write(list, position) === cursor ? position : undefined;
  } catch {
    return undefined;
  }
}

function write(list: string, position: readonly number[]): string {
  const text = [encodeURIComponent(list), ...position].join(",");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
