import fc from "fast-check";
import { describe, expect } from "vitest";
import { decodeHeaderValue, encodeHeaderValue } from "../../../src/protocol/headers/header-value.ts";
import { fuzz } from "../../support/fuzz.ts";

const marks = fc.constantFrom(
  "=?base64?",
  "?=",
  "=",
  " ",
  "\t",
  "\r\n",
  "\0",
  "a",
  "QQ==",
  "é",
  "\u{1f600}",
  "\x7f",
);
const values = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.array(marks).map((parts) => parts.join("")),
  fc.string().map((text) => `=?base64?${text}?=`),
);

describe("the value of a header", () => {
  fuzz(
    "header value",
    "comes back as it was written, in a form that a header carries unchanged",
    values,
    (value) => {
      const encoded = encodeHeaderValue(value);
      expect(encoded).toMatch(/^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/);
      expect(new Headers({ x: encoded }).get("x")).toBe(encoded);
      expect(decodeHeaderValue(encoded)).toBe(value);
    },
  );

  fuzz("header value", "that a stranger wrote is text or refused", values, (header) => {
    const decoded = decodeHeaderValue(header);
    if (decoded === undefined) expect(header).toMatch(/^=\?base64\?.*\?=$/s);
    else if (decoded !== header) expect(decodeHeaderValue(encodeHeaderValue(decoded))).toBe(decoded);
  });
});
