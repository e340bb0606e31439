import { deepStrictEqual, fail } from "node:assert/strict";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { sleep } from "../../lib/async/sleep.ts";
import { randomHex } from "../../lib/encoding/random-token.ts";
import type { State } from "../../state/state.ts";

/** One promise of the contract, to be passed to any test runner. */
export interface ContractCase {
  /** A sentence. */
  readonly name: string;
  /** Rejects when the promise is broken. */
  run(): Promise<void>;
}

/** The part of the store that one case uses. */
export interface ContractScope {
  /** Two states of one store, as two nodes have them. */
  readonly nodes: readonly [State, State];
  /** A key that no other case uses. */
  key(name?: string): string;
}

/** A case, before it is bound to a store. */
export interface Promised {
  readonly name: string;
  readonly run: (scope: ContractScope) => Promise<void>;
}

/** Longer than any case takes. */
export const longMs = 600_000;

const patienceMs = 15_000;
const lookEveryMs = 10;

/** Waits until a look finds something other than undefined and false. Looks again and again: the clock is that of the store. */
export async function eventually<T>(
  what: string,
  look: () => MaybePromise<T | undefined | false>,
): Promise<T> {
  const endsAt = Date.now() + patienceMs;
  for (;;) {
    // Read before the look: one look comes after the end, however long the process stood still.
    const isOver = Date.now() >= endsAt;
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (isOver) fail(`${what}: not within ${patienceMs} ms.`);
    await sleep(lookEveryMs);
  }
}

/** Compares as JSON: a member that is undefined is none. */
export function same(actual: unknown, expected: unknown, message?: string): void {
  deepStrictEqual(toPlain(actual), toPlain(expected), message);
}

/** Compares the members that are expected, and no others. */
export function includes(actual: object | undefined, expected: object): void {
  const members = Object.keys(expected).map((name) => [name, (actual as Record<string, unknown>)?.[name]]);
  same(Object.fromEntries(members), expected);
}

function toPlain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Keys that begin with a random part. */
export function createKeys(): ContractScope["key"] {
  const tag = randomHex(8);
  return (name = "") => `${tag} ${name}`;
}

/** The numbers from 0. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
