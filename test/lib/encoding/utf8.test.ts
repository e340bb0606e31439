import { expect, it } from "vitest";
import { decodeUtf8 } from "../../../src/lib/encoding/utf8.ts";

it("decodes UTF-8 and keeps a byte order mark", () => {
  const text = "\ufeffcaf\u00e9 \u{1f600}";
  expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
});

it.each([
  ["a byte that never occurs", [0xff]],
  ["an overlong form", [0xc0, 0x80]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
  ["a sequence that is cut short", [0xe2, 0x82]],
])("refuses %s", (_, bytes) => {
  expect(decodeUtf8(new Uint8Array(bytes))).toBeUndefined();
});
