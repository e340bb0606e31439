import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "../../src/server/methods/cursor.ts";

const list = fc.oneof(
  fc.constantFrom("tools", "prompts", "resources"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 5 }),
);
const position = fc.array(fc.maxSafeNat(), { maxLength: 4 });

/** Any text in the spelling of a cursor. */
function spell(text: string): string {
  return Buffer.from(text).toString("base64url");
}

describe("a cursor", () => {
  test("gives back the position it was made from", () => {
    fc.assert(
      fc.property(list, position, (kind, made) => {
        const cursor = encodeCursor(kind, made);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
        expect(decodeCursor(kind, cursor)).toEqual(made);
      }),
    );
  });

  test("is short", () => {
    expect(encodeCursor("resourceTemplates", [1234, 56]).length).toBeLessThan(40);
  });

  test("is worth nothing in another list", () => {
    fc.assert(
      fc.property(list, list, position, (kind, other, made) => {
        fc.pre(kind !== other);
        expect(decodeCursor(other, encodeCursor(kind, made))).toBe(undefined);
      }),
    );
  });

  test("that was changed is refused, or is a cursor of its own", () => {
    const character = fc.string({ minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(position, fc.nat(), character, (made, place, changed) => {
        const cursor = encodeCursor("tools", made);
        const at = place % cursor.length;
        const forged = cursor.slice(0, at) + changed + cursor.slice(at + 1);
        const decoded = decodeCursor("tools", forged);
        if (decoded !== undefined) expect(encodeCursor("tools", decoded)).toBe(forged);
      }),
    );
  });

  test("that is garbage is refused", () => {
    const garbage = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.base64String(),
      fc.string().map(spell),
      fc
        .string({ unit: fc.constantFrom(",", "-", "1", ".", "e", " ", "x"), minLength: 1 })
        .map((rest) => spell(`tools${rest}`)),
    );
    fc.assert(
      fc.property(garbage, (cursor) => {
        const decoded = decodeCursor("tools", cursor);
        if (decoded !== undefined) expect(encodeCursor("tools", decoded)).toBe(cursor);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["nothing", ""],
    ["a negative number", spell("tools,-1")],
    ["negative zero", spell("tools,-0")],
    ["an unsafe number", spell("tools,9007199254740992")],
    ["a fraction", spell("tools,1.5")],
    ["an exponent", spell("tools,1e3")],
    ["infinity", spell("tools,Infinity")],
    ["not a number", spell("tools,NaN")],
    ["a missing number", spell("tools,")],
    ["a leading zero", spell("tools,01")],
    ["hexadecimal", spell("tools,0x10")],
    ["a space", spell("tools, 1")],
    ["no list", spell("1")],
    ["another list", spell("prompts,1")],
    ["padding", btoa("tools,12")],
    ["the other base64 alphabet", "dG9vbHMs+/"],
    ["stray bits at the end", `${spell("tools,1").slice(0, -1)}R`],
    ["white space", ` ${spell("tools,1")}`],
    ["a line end", `${spell("tools,1")}\n`],
    ["too many characters", spell(`tools,${"1,".repeat(100)}1`)],
    ["text that is not Latin-1", "日本"],
  ])("with %s is refused", (_, cursor) => {
    expect(decodeCursor("tools", spell("tools,1"))).toEqual([1]);
    expect(decodeCursor("tools", cursor)).toBe(undefined);
  });

  test.each([[[-1]], [[1.5]], [[Number.NaN]], [[2 ** 53]], [new Array(200).fill(7)]])(
    "cannot be made from %j",
    (made) => {
      expect(() => encodeCursor("tools", made)).toThrow(RangeError);
    },
  );
});
