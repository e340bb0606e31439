import { afterEach, expect, test, vi } from "vitest";
import { connect } from "../../../src/client.ts";
import { type ProcessError, TimeoutError } from "../../../src/errors.ts";
import { failure } from "../../support/open-client.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A program that reads nothing until `delayMs` have passed, and then answers every `server/discover`. */
const slowServer = (delayMs: number) => `
  process.stdin.pause();
  setTimeout(() => {
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = { supportedVersions: ["2026-07-28"], capabilities: {}, resultType: "complete" };
      if (method === "server/discover") console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: method } }));
    });
  }, ${delayMs});`;

test.each([
  ["within its time to start", 200],
  ["after its time to start", 50],
])("a program that answers the probe %s is spoken to in the newest revision", async (_, probeTimeout) => {
  const command = { command: process.execPath, args: ["-e", slowServer(300)] };
  const client = await connect(command, { probeTimeout });
  expect(client.server.revision).toBe("2026-07-28");
  await client.close();
});

test("a program that prints something else instead of answers is told to", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  let print = () => {};
  const isPrinted = new Promise<void>((resolve) => {
    print = resolve;
  });
  const script = 'console.log("Server ready\\x1b[2J"); process.stdin.resume();';
  const target = { command: process.execPath, args: ["-e", script] };
  const error = failure(connect(target, { openTimeout: 9_000, onProblem: () => print() }));
  await isPrinted;
  await vi.advanceTimersByTimeAsync(9_000);
  vi.useRealTimers();
  expect((await error).message).toContain(
    'It prints "Server ready\ufffd[2J" to its stdout, where only messages may be; logs belong to stderr.',
  );
});

test("a program that never answers is named, with the end of its stderr", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  let waits = () => {};
  const isWaiting = new Promise<void>((resolve) => {
    waits = resolve;
  });
  const script =
    'console.error("reading config"); console.error("waiting for the database"); process.stdin.resume();';
  const stderr = (line: string) => line.startsWith("waiting") && waits();
  const error = failure(
    connect({ command: process.execPath, args: ["-e", script], stderr }, { openTimeout: 9_000 }),
  );
  await isWaiting;
  await vi.advanceTimersByTimeAsync(9_000);
  vi.useRealTimers();
  expect(await error).toBeInstanceOf(TimeoutError);
  expect((await error).message).toBe(
    "Connecting took longer than 9000 ms in total; raise openTimeout if it may. " +
      `The process "${process.execPath}" is running, but does not answer. Its stderr ends with:\n` +
      "  reading config\n  waiting for the database",
  );
  expect(((await error).cause as ProcessError).stderr).toEqual([
    "reading config",
    "waiting for the database",
  ]);
});
