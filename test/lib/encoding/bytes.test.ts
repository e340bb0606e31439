import { expect, test } from "vitest";
import { ByteCollector } from "../../../src/lib/encoding/bytes.ts";

test("bytes in pieces of any size are joined in their order", () => {
  const sizes = [...Array(1_000).fill(1), 5_000, ...Array(70_000).fill(3), 0, 2_000, 7];
  const collector = new ByteCollector();
  const expected: number[] = [];
  for (const [index, size] of sizes.entries()) {
    const piece = new Uint8Array(size).fill(index % 251);
    collector.add(piece);
    expected.push(...piece);
  }
  expect(collector.size).toBe(expected.length);
  expect(Buffer.compare(collector.join(), Uint8Array.from(expected))).toBe(0);
});

test("small pieces without end are copied, so that none of them is kept", () => {
  const collector = new ByteCollector();
  const piece = new Uint8Array(1).fill(7);
  for (let n = 0; n < 100_000; n++) collector.add(piece);
  piece.fill(8);
  const kept = collector.join().filter((byte) => byte === 8).length;
  expect(kept).toBe(256);
});
