import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { createServer } from "allspeak";
import { serveStdio } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { alone } from "../support/raw-client.ts";

test("a server reads no more requests until it can answer the first", async () => {
  const server = createServer({ name: "test", version: "1.0.0" });
  const input = new PassThrough();
  const output = new PassThrough();
  const serving = await serveStdio(server, { input, output, watchParent: false });
  onTestFinished(() => serving.close());
  let finish = () => {};
  const ready = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const mount = { ready, capabilities: {}, request: async () => ({}), onChange: () => () => {} };
  server.mount("late", { "~mount": () => mount });

  const paused = once(input, "pause");
  input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: alone({}) })}\n`);
  await paused;
  const resumed = once(input, "resume");
  const answered = once(createInterface({ input: output }), "line");
  finish();
  expect(JSON.parse(String((await answered)[0]))).toMatchObject({
    id: 1,
    result: { resultType: "complete" },
  });
  await resumed;
});
