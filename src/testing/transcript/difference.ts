import { AssertionError } from "node:assert";
import { isObject } from "../../lib/json.ts";
import { toPath } from "../../lib/text/issue.ts";
import { mask } from "../../lib/text/mask-text.ts";
import { toPrintable } from "../../lib/text/printable.ts";
import type { WireMessage } from "./transcript.ts";

/** One way in which a replayed conversation is not the recorded one. */
export type Difference =
  | {
      readonly kind: "changed";
      /** The message, in words. */
      readonly message: string;
      /** The place within it, such as `result.content[0].text`. */
      readonly path: string;
      /** Undefined where the recorded message has nothing at this place. */
      readonly expected: unknown;
      readonly actual: unknown;
    }
  | { readonly kind: "missing" | "unexpected"; readonly message: string; readonly wire: WireMessage };

/** The result of a replay. */
export interface ReplayReport {
  /** Empty if the conversations are the same. */
  readonly differences: readonly Difference[];
  /** The differences for people, path by path; empty if there are none. */
  readonly text: string;
  /** Throws an AssertionError with this text if there are differences. */
  assertSame(): void;
}

export function toReplayReport(differences: readonly Difference[]): ReplayReport {
  // A recorded server, or the one that is replayed to, may have written anything into it.
  const text = toPrintable(showDifferences(differences));
  return {
    differences,
    text,
    assertSame() {
      if (differences.length === 0) return;
      const count = differences.length === 1 ? "1 difference" : `${differences.length} differences`;
      throw new AssertionError({ message: `The replay has ${count}:\n${text}` });
    },
  };
}

type ChangedValue = Pick<Extract<Difference, { kind: "changed" }>, "path" | "expected" | "actual">;

/** The places at which two values differ. What was masked is the same as anything. */
export function compareValues(expected: unknown, actual: unknown, ignore: readonly string[]): ChangedValue[] {
  const found: ChangedValue[] = [];
  const patterns = ignore.map(toPattern);
  const walk = (left: unknown, right: unknown, keys: readonly PropertyKey[]): void => {
    if (Object.is(left, right) || left === mask) return;
    const path = toPath(keys);
    if (patterns.some((pattern) => pattern.test(path))) return;
    if (Array.isArray(left) && Array.isArray(right)) {
      for (let at = 0; at < Math.max(left.length, right.length); at++)
        walk(left[at], right[at], [...keys, at]);
    } else if (isObject(left) && isObject(right)) {
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
        walk(left[name], right[name], [...keys, name]);
    } else if (!isMaskedText(left, right)) found.push({ path, expected: left, actual: right });
  };
  walk(expected, actual, []);
  return found;
}

/** A text of which a part was masked is the same as one that differs only there. */
function isMaskedText(left: unknown, right: unknown): boolean {
  if (typeof left !== "string" || typeof right !== "string" || !left.includes(mask)) return false;
  const [first = "", ...others] = left.split(mask);
  const last = others.pop() ?? "";
  let at = right.startsWith(first) ? first.length : -1;
  for (const part of others) {
    const found = at < 0 ? -1 : right.indexOf(part, at);
    at = found < 0 ? -1 : found + part.length;
  }
  return at >= 0 && right.length - last.length >= at && right.endsWith(last);
}

/** A path in which `*` stands for one part. */
function toPattern(path: string): RegExp {
  const parts = path.split("*").map(escapePattern);
  return new RegExp(`^${parts.join("[^.[\\]]+")}(?:$|[.[])`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function showDifferences(differences: readonly Difference[]): string {
  const lines: string[] = [];
  let last = "";
  for (const difference of differences) {
    if (difference.kind !== "changed") {
      lines.push(`${difference.message}: ${difference.kind}`, `  ${show(difference.wire)}`);
      last = "";
      continue;
    }
    const { message, path, expected, actual } = difference;
    if (message !== last) lines.push(message);
    lines.push(`  ${path || "(the whole message)"}`);
    if (expected !== undefined) lines.push(`    - ${show(expected)}`);
    if (actual !== undefined) lines.push(`    + ${show(actual)}`);
    last = message;
  }
  return lines.join("\n");
}

const maxShown = 300;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}… (${text.length} characters)` : text;
}
