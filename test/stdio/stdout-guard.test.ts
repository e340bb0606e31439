import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { guardStdout } from "../../src/node/serve/stdout-guard.ts";
import type { OutputGuard } from "../../src/transports/stdio/server-pipe.ts";

type Write = typeof process.stdout.write;

const realWrites = { stdout: process.stdout.write, stderr: process.stderr.write };
let stdout: string[];
let stderr: string[];
let guard: OutputGuard | undefined;

beforeEach(() => {
  stdout = [];
  stderr = [];
  process.stdout.write = collect(stdout);
  process.stderr.write = collect(stderr);
});

afterEach(() => {
  guard?.restore();
  guard = undefined;
  process.stdout.write = realWrites.stdout;
  process.stderr.write = realWrites.stderr;
});

/** Stands for the descriptor: this process's own streams belong to the test runner. */
function collect(texts: string[]): Write {
  return ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    texts.push(Buffer.from(chunk as string).toString());
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  }) as Write;
}

test("while it stands, what is written to stdout goes to stderr, and messages to stdout", () => {
  guard = guardStdout();
  process.stdout.write("noise 1\n");
  process.stdout.write(Buffer.from("noise 2\n"));
  process.stdout.write("6e6f6973652033", "hex");
  guard.write("message\n", () => {});
  expect(stdout).toEqual(["message\n"]);
  expect(stderr).toEqual(["noise 1\n", "noise 2\n", "noise 3"]);
});

test("whoever waits for a write to finish hears of it", () => {
  guard = guardStdout();
  const done = vi.fn();
  expect(process.stdout.write("a", done)).toBe(true);
  expect(process.stdout.write("b", "utf8", done)).toBe(true);
  expect(done).toHaveBeenCalledTimes(2);
});

test("afterwards everything is as before", () => {
  const before = process.stdout.write;
  const listeners = process.stderr.listenerCount("error");
  guardStdout().restore();
  expect(process.stdout.write).toBe(before);
  expect(process.stderr.listenerCount("error")).toBe(listeners);
  process.stdout.write("text");
  expect(stdout).toEqual(["text"]);
});

test("a wrapper that was put around it keeps working afterwards", () => {
  guard = guardStdout();
  const wrapped = process.stdout.write;
  const wrapper = ((chunk: string) => wrapped.call(process.stdout, `[${chunk}]`)) as Write;
  process.stdout.write = wrapper;
  process.stdout.write("during");
  guard.restore();
  process.stdout.write("after");
  expect(process.stdout.write).toBe(wrapper);
  expect(stderr).toEqual(["[during]"]);
  expect(stdout).toEqual(["[after]"]);
});

test("a stderr that nobody reads any more does no harm", () => {
  guard = guardStdout();
  expect(process.stderr.emit("error", new Error("write EPIPE"))).toBe(true);
});

test("stdout can be served once at a time", () => {
  guard = guardStdout();
  expect(() => guardStdout()).toThrow(/already served/);
});
