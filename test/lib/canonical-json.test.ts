import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/seal/seal.ts";

/** The same value with the keys of all its objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(members.reverse());
}

describe("the digest of arguments", () => {
  test("does not depend on the order of keys", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await digestOf(reversed(value))).toBe(await digestOf(value));
      }),
    );
  });

  test("differs when the values do", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, other) => {
        fc.pre(!isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))));
        expect(await digestOf(one)).not.toBe(await digestOf(other));
      }),
    );
  });

  test("tells apart what is easily taken for the same", async () => {
    const values = [
      undefined,
      null,
      "",
      "null",
      0,
      "0",
      false,
      [],
      {},
      [[]],
      [{}],
      { a: [] },
      { a: {} },
      { a: null },
      { a: "b,c" },
      { a: "b", c: "" },
      ["a", "b"],
      ["b", "a"],
      ["a,b"],
      { a: { b: 1 }, c: 2 },
      { a: { b: 1, c: 2 } },
      "\ud800",
      "\ud801",
      "\ufffd",
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"__proto__":{"a":1}}'),
      { "10": 1, "9": 2 },
      { "10": 2, "9": 1 },
    ];
    const digests = await Promise.all(values.map(digestOf));
    expect(new Set(digests).size).toBe(values.length);
    for (const digest of digests) expect(digest).toMatch(/^[\w-]{43}$/);
  });

  test("takes a member that is undefined for one that is not there", async () => {
    expect(await digestOf({ a: 1, b: undefined })).toBe(await digestOf({ a: 1 }));
  });
});
