/** The length of a value as JSON text, roughly: escapes are not counted. Stops counting beyond `max`. */
export function jsonSize(value: unknown, max: number = Number.POSITIVE_INFINITY): number {
  let size = 0;
  const unread: unknown[] = [value];
  while (unread.length > 0 && size <= max) {
    const part = unread.pop();
    if (typeof part === "string") size += part.length + 2;
    else if (typeof part !== "object" || part === null) size += 4;
    else {
      size += 2;
      for (const key in part) {
        if (!Array.isArray(part)) size += key.length + 3;
        size++;
        unread.push((part as { readonly [key: string]: unknown })[key]);
      }
    }
  }
  return size;
}
