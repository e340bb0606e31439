import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createServer } from "allspeak";
import { serveStdio } from "allspeak/node";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a process whose call and whose hook never end is gone a second after its input", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as () => never);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const input = new PassThrough();
  const server = createServer({ name: "test", version: "1.0.0" });
  const started = new Promise<void>((resolve) => {
    server.tool("wait", {}, () => {
      resolve();
      return new Promise(() => {});
    });
  });
  const never = () => new Promise<void>(() => {});
  const options = { input, output: new PassThrough(), onShutdown: never, watchParent: false };
  const serving = await serveStdio(server, options);

  const open = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  for (const message of [
    { id: 1, method: "initialize", params: open },
    { id: 2, method: "tools/call", params: { name: "wait" } },
  ]) {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
  await started;
  input.end();
  for (let ms = 0; ms < 1_000; ms += 50) {
    await setImmediate();
    await vi.advanceTimersByTimeAsync(50);
  }

  expect(exit).toHaveBeenCalledWith(0);
  await serving.close();
});
