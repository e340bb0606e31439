/** Freezes JSON with everything in it. */
export function deepFreeze<T>(value: T): T {
  const unfrozen: unknown[] = [value];
  while (unfrozen.length > 0) {
    const part = unfrozen.pop();
    if (typeof part === "object" && part !== null) unfrozen.push(...Object.values(Object.freeze(part)));
  }
  return value;
}
