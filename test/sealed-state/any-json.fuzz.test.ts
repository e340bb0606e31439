import fc from "fast-check";
import { expect, test } from "vitest";
import { type Binding, createSealer } from "../../src/seal/seal.ts";
import { createSealKeys } from "../../src/seal/seal-keys.ts";
import { memoryState } from "../../src/state/memory/memory-state.ts";
import { fuzzed } from "../support/fuzz.ts";

const keys = await createSealKeys(["a secret that is long enough for a test"]);
const binding: Binding = { principal: "alice", method: "tools/call", target: "book", digest: "d" };
const { values } = memoryState();

test("a sealer gives back any JSON, whether it is carried or spilled", { timeout: 60_000 }, async () => {
  const members = fc.dictionary(
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "constructor", "toString", "")),
    fc.oneof(fc.jsonValue(), fc.constantFrom<string>("\ud800", "a\udc00b", "\ufeff", "\u2028")),
  );
  const sealers = [createSealer(keys, { values }), createSealer(keys, { values, spillOverBytes: 0 })];
  await fc.assert(
    fc.asyncProperty(members, fc.constantFrom(...sealers), async (value, chosen) => {
      const opened = await chosen.open(await chosen.seal(value, binding), binding);
      expect(JSON.stringify(opened)).toBe(JSON.stringify(value));
      expect(Object.getPrototypeOf(opened)).toBe(Object.prototype);
    }),
    { numRuns: fuzzed(300, 5_000) },
  );
});
