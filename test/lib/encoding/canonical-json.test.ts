import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../../src/lib/encoding/canonical-json.ts";
import { digestOf } from "../../../src/seal/seal.ts";

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
      JSON.parse("1e400"),
      JSON.parse("-1e400"),
      JSON.parse('{"a":1e400}'),
      JSON.parse('{"a":-1e400}'),
    ];
    const digests = await Promise.all(values.map(digestOf));
    expect(new Set(digests).size).toBe(values.length);
    for (const digest of digests) expect(digest).toMatch(/^[\w-]{43}$/);
  });

  test("takes a member that is undefined for one that is not there", async () => {
    expect(await digestOf({ a: 1, b: undefined })).toBe(await digestOf({ a: 1 }));
  });
});

describe("canonical JSON", () => {
  const value = { b: [1, { z: null, a: "\u00e9" }], "10": 1, "9": 2, a: undefined, B: -0 };

  test("is what stored hashes were made of", () => {
    expect(canonicalJson(value)).toBe('{"10":1,"9":2,"B":0,"b":[1,{"a":"\u00e9","z":null}]}');
    expect(canonicalJson(value, { indexesFirst: true })).toBe(
      '{"9":2,"10":1,"B":0,"b":[1,{"a":"\u00e9","z":null}]}',
    );
  });

  test("follows JSON.stringify but for the order of keys", () => {
    const odd = [undefined, Number.NaN, new Date(0), () => {}, { toJSON: () => ({ b: 1, a: 2 }) }];
    expect(canonicalJson(odd)).toBe('[null,null,"1970-01-01T00:00:00.000Z",null,{"a":2,"b":1}]');
    expect(canonicalJson(undefined)).toBe("");
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const text = canonicalJson(any, { indexesFirst: true });
        const sorted = (_: string, member: unknown) =>
          typeof member === "object" && member !== null && !Array.isArray(member)
            ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
            : member;
        expect(text).toBe(JSON.stringify(any, sorted));
      }),
    );
  });

  test("shows each value and its depth, and stops when told to", () => {
    const seen: unknown[] = [];
    canonicalJson({ a: [1] }, { onValue: (part, depth) => seen.push([part, depth]) });
    expect(seen).toEqual([
      [{ a: [1] }, 0],
      [[1], 1],
      [1, 2],
    ]);
    const stop = () => {
      throw new RangeError("enough");
    };
    expect(() => canonicalJson({}, { onValue: stop })).toThrow("enough");
  });
});
