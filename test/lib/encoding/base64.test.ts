import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64, fromBase64url, toBase64, toBase64url } from "../../../src/lib/encoding/base64.ts";

describe("base64url", () => {
  test("is what Node writes, and gives the bytes back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = toBase64url(new Uint8Array(bytes));
        expect(text).toBe(Buffer.from(bytes).toString("base64url"));
        expect(fromBase64url(text)).toEqual(new Uint8Array(bytes));
      }),
    );
  });

  test("takes more bytes than fit on the stack", () => {
    const bytes = new Uint8Array(1_000_000).map((_, at) => at % 251);
    expect(Buffer.from(bytes).equals(fromBase64url(toBase64url(bytes)) ?? bytes.subarray(1))).toBe(true);
  });

  test("has one spelling only, so that every other text is refused", () => {
    fc.assert(
      fc.property(fc.oneof(fc.base64String(), fc.string(), fc.stringMatching(/^[\w-]{0,9}$/)), (text) => {
        const bytes = fromBase64url(text);
        fc.pre(bytes !== undefined);
        expect(toBase64url(bytes)).toBe(text);
      }),
    );
    for (const text of ["A", "AB", "AAB", "AA==", "A+/A", "A A A", "AAAA\n", "ÀÀÀÀ", "AAAAA"]) {
      expect(fromBase64url(text)).toBe(undefined);
    }
  });
});

describe("base64", () => {
  test("is what Node writes, and gives the bytes back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(fromBase64(text)).toEqual(new Uint8Array(bytes));
      }),
    );
  });

  test.each(["A", "AA", "AA=", "A===", "AA==AA==", "A-_A", " AAA", "AAAA\n"])("refuses %j", (text) => {
    expect(fromBase64(text)).toBeUndefined();
  });
});
