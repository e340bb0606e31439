import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { connect } from "allspeak/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

const pairs = [
  ["2025-06-18", "2026-07-28"],
  ["2026-07-28", "2025-11-25"],
  ["2025-11-25", "2025-11-25"],
] as const;

describe.each(pairs)("a client of %s before a server of %s", (near, far) => {
  async function open() {
    const server = createServer({ name: "custom", version: "1", revisions: [far] });
    server.method("acme/double", { params: z.object({ n: z.number() }) }, ({ n }) => ({ n: 2 * n }));
    const bridge = await openBridge(server);
    onTestFinished(() => bridge.close());
    const client = await connect(bridge.server, { revisions: [near] });
    onTestFinished(() => client.close());
    return client;
  }

  it("calls a custom method of the server through a bridge", async () => {
    const client = await open();
    expect(await client.request("acme/double", { n: 21 })).toMatchObject({ n: 42 });
  });

  it("gets the errors of the server, also for a method that it does not have", async () => {
    const client = await open();
    await expect(client.request("acme/double", { n: "x" })).rejects.toMatchObject({ wireCode: -32602 });
    await expect(client.request("acme/triple")).rejects.toMatchObject({ wireCode: -32601 });
  });
});
