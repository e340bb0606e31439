import type { HistoryEntry, Limits } from "./history.ts";
import type { Violation } from "./violation.ts";

type Calling = Extract<HistoryEntry, { readonly kind: "calling" }>;
type Ended = Extract<HistoryEntry, { readonly kind: "answered" | "refused" }>;

/** Checks that each call ends once and in time, with its own answer or an error. */
export function checkCalls(entries: readonly HistoryEntry[], limits: Limits): readonly Violation[] {
  const ends = new Map<string, Ended[]>();
  for (const entry of entries)
    if (entry.kind === "answered" || entry.kind === "refused")
      ends.set(entry.call, [...(ends.get(entry.call) ?? []), entry]);
  return entries.flatMap((entry) =>
    entry.kind === "calling" ? checkCall(entry, ends.get(entry.call) ?? [], limits) : [],
  );
}

function checkCall(calling: Calling, ends: readonly Ended[], limits: Limits): Violation[] {
  const what = `the call ${calling.call} of ${calling.client} (${calling.name})`;
  const [end, ...more] = ends;
  if (end === undefined) return [{ rule: "unanswered", what }];
  const violations: Violation[] = more.map(() => ({ rule: "answered twice", what }));
  const tookMs = Math.round(end.at - calling.at);
  if (tookMs > limits.callMs) violations.push({ rule: "late", what: `${what} took ${tookMs} ms` });
  if (end.kind === "refused") {
    const mayFail = limits.mayFail?.includes(calling.name) ?? true;
    return mayFail ? violations : [...violations, { rule: "failed", what: `${what}: ${end.message}` }];
  }
  if (end.principal !== calling.principal)
    violations.push({ rule: "foreign", what: `${what} was answered for ${end.principal}` });
  if (end.echo !== calling.call)
    violations.push({ rule: "wrong answer", what: `${what} got the answer of ${end.echo}` });
  return violations;
}
