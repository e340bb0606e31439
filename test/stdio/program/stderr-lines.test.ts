import { expect, test } from "vitest";
import { StderrLines } from "../../../src/transports/stdio/child-stderr.ts";

function collect() {
  const lines: string[] = [];
  return { lines, stderr: new StderrLines((line) => lines.push(line)) };
}

test("lines come out whole, wherever the chunks were cut", () => {
  const { lines, stderr } = collect();
  for (const byte of Buffer.from("für\r\n\nzwei\ndrei")) stderr.push(Uint8Array.of(byte));
  expect(lines).toEqual(["für", "", "zwei"]);
  stderr.end();
  expect(lines).toEqual(["für", "", "zwei", "drei"]);
});

test("the last lines are remembered, the unfinished one included and blank ones not", () => {
  const { stderr } = collect();
  stderr.push(Buffer.from(Array.from({ length: 30 }, (_, index) => `line ${index}\n\n`).join("")));
  expect(stderr.last).toHaveLength(20);
  stderr.push(Buffer.from("unfinished"));
  expect(stderr.last).toHaveLength(20);
  expect(stderr.last.slice(-2)).toEqual(["line 29", "unfinished"]);
});

test("a line without end is cut, so that it is not kept", () => {
  const { lines, stderr } = collect();
  for (let index = 0; index < 100; index++) stderr.push(Buffer.alloc(1024, "x"));
  expect(lines.length).toBeGreaterThan(5);
  expect(stderr.last.every((line) => line.length <= 500)).toBe(true);
});
