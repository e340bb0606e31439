import { expect, test } from "vitest";
import { RepeatedStderrFilter } from "../../../src/transports/stdio/child-stderr.ts";

function write(pass: (chunk: Buffer) => Buffer | undefined, ...texts: string[]): string {
  return texts.map((text) => pass(Buffer.from(text))?.toString() ?? "").join("");
}

test("what a program says again when it is started again is held back", () => {
  const stderr = new RepeatedStderrFilter();
  expect(write(stderr.begin(0), "starting\nboom\n")).toBe("starting\nboom\n");
  expect(write(stderr.begin(100), "starting\n", "boom\n")).toBe("");
});

test("as soon as it says something else, all of it is shown", () => {
  const stderr = new RepeatedStderrFilter();
  write(stderr.begin(0), "starting\nboom\n");
  expect(write(stderr.begin(100), "starting\n", "ready\n", "boom\n")).toBe("starting\nready\nboom\n");
});

test("what follows after it has said all of it again is shown", () => {
  const stderr = new RepeatedStderrFilter();
  write(stderr.begin(0), "starting\n");
  expect(write(stderr.begin(100), "starting\n", "ready\n")).toBe("starting\nready\n");
});

test("a program that is started much later is heard from the beginning", () => {
  const stderr = new RepeatedStderrFilter();
  write(stderr.begin(0), "starting\n");
  expect(write(stderr.begin(60_000), "starting\n")).toBe("starting\n");
});

test("a program that says much is remembered in part only", () => {
  const stderr = new RepeatedStderrFilter();
  const long = "x".repeat(100_000);
  expect(write(stderr.begin(0), long)).toBe(long);
  expect(write(stderr.begin(100), long)).toBe(long);
});
