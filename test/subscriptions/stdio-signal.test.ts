import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { createServer } from "allspeak";
import { serveStdio } from "allspeak/node";
import { afterEach, expect, test, vi } from "vitest";
import { alone } from "../support/raw-client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s on stdio ends a subscription with its result",
  async (signal) => {
    const exited = new Promise<number>((resolve) => {
      vi.spyOn(process, "exit").mockImplementation(((code: number) => resolve(code)) as () => never);
    });
    const server = createServer({ name: "test", version: "1.0.0" });
    server.tool("t", {}, () => "");
    const input = new PassThrough();
    const output = new PassThrough();
    // Waiting for a call that does not end would take longer than the test may.
    const serving = await serveStdio(server, { input, output, watchParent: false, graceMs: 60_000 });
    const lines = createInterface({ input: output });
    const next = async () => JSON.parse(String((await once(lines, "line"))[0]));

    const params = alone({ notifications: { toolsListChanged: true } });
    const acknowledged = next();
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params })}\n`);
    expect(await acknowledged).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    const ended = next();
    process.emit(signal, signal);
    expect(await ended).toMatchObject({
      id: 7,
      result: { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": 7 } },
    });
    expect(await exited).toBeGreaterThan(128);
    await serving.close();
  },
);
