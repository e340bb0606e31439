import { PassThrough, Writable } from "node:stream";
import { createServer, servePipe, tool } from "allspeak";
import { afterEach, expect, test } from "vitest";
import { createStdioPipe } from "../../src/transports/stdio/server-pipe.ts";

const steps = tool("steps", { description: "Reports progress" }, async (_, ctx) => {
  await ctx.progress(1, 2);
  await ctx.progress(2, 2);
  return "done";
});

const input = new PassThrough();
afterEach(() => input.destroy());

test("the answer of a call leaves after its last progress, not in one piece with it", async () => {
  const pieces: string[] = [];
  let done = () => {};
  const answered = new Promise<void>((resolve) => {
    done = resolve;
  });
  const output = new Writable({
    write(chunk, _, next) {
      pieces.push(String(chunk));
      if (String(chunk).includes('"id":2')) done();
      next();
    },
  });
  const server = createServer({ name: "test", version: "1.0.0", tools: [steps] });
  const conversation = servePipe(server, createStdioPipe({ input, output }));

  const call = { name: "steps", _meta: { progressToken: "t" } };
  const open = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  for (const message of [
    { id: 1, method: "initialize", params: open },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: call },
  ]) {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
  await answered;
  await conversation.close();

  const last = pieces.filter((piece) => piece.includes('"id":2'));
  expect(pieces.join("").match(/notifications\/progress/g)).toHaveLength(2);
  expect(last.join("")).not.toContain("notifications/progress");
});
