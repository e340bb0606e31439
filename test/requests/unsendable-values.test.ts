import { createServer, RpcError } from "allspeak";
import { connect } from "allspeak/client";
import { afterEach, expect, test, vi } from "vitest";
import { openRaw } from "../support/raw-client.ts";

afterEach(() => vi.useRealTimers());

test("a request that can't be written down fails at once, and nothing of it is left waiting", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const server = createServer({ name: "test", version: "1.0.0" });
  server.tool("echo", { input: { type: "object" } }, (args) => JSON.stringify(args));
  const client = await connect(server);

  await expect(client.tools.call("echo", { amount: 10n })).rejects.toThrow("BigInt");

  expect(vi.getTimerCount()).toBe(0);
  await client.close();
});

test("an error whose data can't be written down is answered without it", async () => {
  const server = createServer({ name: "test", version: "1.0.0" });
  server.tool("refuse", {}, () => {
    throw new RpcError(-32_000, "Refused", { amount: 10n });
  });
  const client = openRaw(server);
  await client.initialize();

  const answer = await client.ask("tools/call", { name: "refuse" });

  expect(answer.error).toEqual({ code: -32_000, message: "Refused" });
});
