import { fileURLToPath } from "node:url";
import { openBridge } from "allspeak/bridge";
import type { Client } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";
import { openClient } from "../support/open-client.ts";

const late = {
  command: process.execPath,
  args: [fileURLToPath(new URL("fixtures/late-server.mjs", import.meta.url))],
};

async function openShared() {
  const bridge = await openBridge(late, { isolation: "shared" });
  onTestFinished(() => bridge.close());
  return async () => {
    const asked: string[] = [];
    const client = await openClient(bridge.server, {
      revisions: ["2025-11-25"],
      elicit: ({ message }) => {
        asked.push(message);
        return { action: "accept" };
      },
    });
    return { client, asked };
  };
}

const textOf = async (client: Client, tool: string) => (await client.tools.call(tool)).content;

it("a question after the call of one client reaches no other whose list is read meanwhile, and is refused", async () => {
  const open = await openShared();
  const [alice, bob] = [await open(), await open()];
  await alice.client.tools.call("transfer", { of: "alice" });
  await bob.client.tools.list({ fresh: true }).all();
  expect(bob.asked).toEqual([]);
  expect(await textOf(bob.client, "outcome")).toMatchObject([
    { text: expect.stringContaining("Nobody can answer this question") },
  ]);
});

it("a question within a call reaches its client over a connection that others have used", async () => {
  const open = await openShared();
  const [alice, bob] = [await open(), await open()];
  await alice.client.tools.call("transfer", { of: "alice" });
  expect(await textOf(bob.client, "ask")).toMatchObject([{ text: "accept" }]);
  expect(bob.asked).toEqual(["Approve: this call"]);
});

it("a question after a call reaches the client that alone has used the connection", async () => {
  const { client, asked } = await (await openShared())();
  await client.tools.call("transfer", { of: "alice" });
  await client.tools.list({ fresh: true }).all();
  expect(asked).toEqual(["Approve: the transfer of alice"]);
});
