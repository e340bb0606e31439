/** Returns whether lists and objects in a JSON value are nested in more levels than these. Takes no room on the stack. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let layer = [value].filter(isNest);
  for (let depth = 1; layer.length > 0; depth++) {
    if (depth > levels) return true;
    layer = layer.flatMap((nest) => Object.values(nest).filter(isNest));
  }
  return false;
}

function isNest(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
