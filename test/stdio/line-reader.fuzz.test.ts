import fc from "fast-check";
import { describe, expect } from "vitest";
import { fuzz } from "../support/fuzz.ts";
import { read } from "./fixtures/framing.ts";

const line = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "\r",
    "  ",
    "Loading",
    '[info] up {"jsonrpc":"2.0","id":1,"result":{}}',
    '{"id":1,"result":"',
  ),
  fc.record({ id: fc.integer(), result: fc.string({ maxLength: 60 }) }).map((value) => JSON.stringify(value)),
);
const stream = fc
  .array(
    fc.oneof(
      line.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 20 }).map(Buffer.from),
    ),
  )
  .map((lines) => Buffer.concat(lines.flatMap((bytes) => [bytes, Buffer.from("\n")])))
  // The end of the input is one more place to be cut at.
  .chain((bytes) => fc.nat({ max: bytes.length }).map((end) => bytes.subarray(0, end)));

const cut = fc.record({
  bytes: stream,
  cuts: fc.array(fc.nat({ max: 400 })),
  maxMessageBytes: fc.integer({ min: 8, max: 80 }),
});

describe.each(["deliver", "skip"] as const)("a reader of lines that is to %s stray output", (strayOutput) => {
  fuzz(
    "stdio framing",
    "makes the same of bytes, however they are cut",
    cut,
    ({ bytes, cuts, maxMessageBytes }) => {
      const ends = [...cuts.filter((place) => place < bytes.length), bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      const options = { strayOutput, maxMessageBytes };
      expect(read(chunks, options)).toEqual(read([bytes], options));
    },
  );
});
