import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { concatBytes } from "../../../src/lib/encoding/bytes.ts";
import { toHex } from "../../../src/lib/encoding/hex.ts";
import { randomHex, randomToken } from "../../../src/lib/encoding/random-token.ts";
import { sha256, sha256Hex } from "../../../src/lib/encoding/sha256.ts";

it("writes two lower-case digits for each byte", () => {
  const bytes = new Uint8Array(256).map((_, at) => at);
  expect(toHex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
});

it("makes random text of the length that was asked for, never twice the same", () => {
  expect(randomHex(16)).toMatch(/^[0-9a-f]{32}$/);
  expect(randomToken()).toMatch(/^[\w-]{43}$/);
  expect(new Set(Array.from({ length: 100 }, randomToken)).size).toBe(100);
});

it.each(["", "abc", "caf\u00e9 \u{1f600}"])("hashes %j as Node does", async (text) => {
  expect(await sha256(text)).toBe(createHash("sha256").update(text).digest("base64url"));
  expect(await sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
});

it("joins bytes, and does not copy a part that is alone", () => {
  const one = new Uint8Array([1, 2]);
  expect(concatBytes([one, new Uint8Array(), new Uint8Array([3])])).toEqual(new Uint8Array([1, 2, 3]));
  expect(concatBytes([one])).toBe(one);
  expect(concatBytes([])).toEqual(new Uint8Array());
});
