/** The length of a value as JSON text, roughly: escapes are not counted. Stops counting beyond `max`. */
export function jsonSize(value: unknown, max: number = Number.POSITIVE_INFINITY): number {
  let size = 0;
  const unread: unknown[] = [value];
  while (unread.length > 0 && size <= max) {
    const part = unread.pop();
    if (typeof part === "string") size += part.length + 2;
    else if (typeof part !== "object" || part === null) size += 4;
    else {
      size += 2 + pushMembers(part, unread, max - size);
    }
  }
  return size;
}

/** Adds the members of a value to those that are to be read; returns the size of all but their values, as far as `max`. */
function pushMembers(value: object, unread: unknown[], max: number): number {
  let size = 0;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && size <= max; at++) {
      size++;
      unread.push(value[at]);
    }
    return size;
  }
  for (const key in value) {
    if (size > max) break;
    size += key.length + 4;
    unread.push((value as { readonly [key: string]: unknown })[key]);
  }
  return size;
}
