import { isObject } from "../../lib/json.ts";
import type { JsonDifference } from "../messages/revisions.ts";

const maxDifferences = 500;

/** The places where two JSON values differ, as JSON pointers (RFC 6901). */
export function findDifferences(left: unknown, right: unknown): JsonDifference[] {
  const found: JsonDifference[] = [];
  walk(left, right, "", found);
  return found;
}

function walk(left: unknown, right: unknown, path: string, found: JsonDifference[]): void {
  if (found.length >= maxDifferences || left === right) return;
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let at = 0; at < Math.max(left.length, right.length); at++)
      compare(at in left, at in right, [left[at], right[at]], { path: `${path}/${at}`, found });
    return;
  }
  if (isObject(left) && isObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const pointer = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const values = [left[name], right[name]] as const;
      compare(Object.hasOwn(left, name), Object.hasOwn(right, name), values, { path: pointer, found });
    }
    return;
  }
  found.push({ path, kind: "changed", left, right });
}

function compare(
  isLeft: boolean,
  isRight: boolean,
  [left, right]: readonly [unknown, unknown],
  { path, found }: { readonly path: string; readonly found: JsonDifference[] },
): void {
  if (isLeft && isRight) walk(left, right, path, found);
  else if (found.length < maxDifferences)
    found.push(isLeft ? { path, kind: "removed", left } : { path, kind: "added", right });
}
