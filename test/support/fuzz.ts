// Random input: a few cases in `npm test`, all of them in `npm run test:wide`.
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { inject, test } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether random input is tried as often as it should be; absent for a few times. */
    readonly fuzz?: "whole";
  }
}

/** The parsers that strangers reach. */
export const fuzzTargets = [
  "message",
  "stdio framing",
  "SSE round trip",
  "SSE rules",
  "header value",
  "WWW-Authenticate",
  "URI template",
  "JSON Schema",
] as const;

const isWhole = inject("fuzz") === "whole";
const cases = fuzzed(1_000, 25_000);
/** The seed to repeat a run with, and otherwise one that every run has, so that a change is not judged by chance alone. */
const fixedSeed = Number(process.env.FC_SEED ?? 1);
const timeoutMs = 120_000;
const maxCaseMs = 10;
const attempts = 10;

/** The number of random cases: a few, or all. */
export function fuzzed(few: number, all: number): number {
  return isWhole ? all : few;
}

/** A test that a property holds for random cases, each in a few milliseconds: half of them with a fixed seed, half with a new one. */
export function fuzz<T>(
  target: (typeof fuzzTargets)[number],
  name: string,
  input: fc.Arbitrary<T>,
  check: (value: T) => void | Promise<void>,
): void {
  test(
    name,
    async () => {
      const seeds = [fixedSeed, randomInt(2 ** 31)];
      // A failure names its seed; a run that hangs or crashes does not.
      if (isWhole) console.log(`${target}: ${cases} cases, with the seeds ${seeds.join(" and ")}`);
      const property = fc.asyncProperty(input, (value) => checkInTime(() => check(value)));
      for (const seed of seeds) await fc.assert(property, { numRuns: cases / 2, seed });
    },
    timeoutMs,
  );
}

/** Checks a case. One that took long is tried again, since it may have been the first of its kind, or in the way of the collector. */
async function checkInTime(check: () => void | Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // Time of the processor, which other programs do not lengthen.
    const start = process.cpuUsage();
    await check();
    const { user, system } = process.cpuUsage(start);
    const tookMs = (user + system) / 1000;
    if (tookMs <= maxCaseMs) return;
    if (attempt === attempts) throw new Error(`The case took ${tookMs} ms, ${attempts} times.`);
  }
}
