import { fileURLToPath } from "node:url";
import { openBridge } from "allspeak/bridge";
import { connect } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";
import { openRaw } from "../support/raw-client.ts";

const asking = {
  command: process.execPath,
  args: [fileURLToPath(new URL("fixtures/asking-server.mjs", import.meta.url))],
};

it.each([{ action: "accept", content: { name: "Bob" } }, { action: "accept" }])(
  "the answer %j to a form with defaults crosses a bridge as it is",
  async (answer) => {
    const bridge = await openBridge(asking);
    onTestFinished(() => bridge.close());
    const client = openRaw(bridge.server);
    onTestFinished(() => client.close());
    client.onRequest = () => answer;
    await client.initialize("2025-11-25", { elicitation: {} });
    const { structuredContent } = await client.result("tools/call", { name: "ask" });
    expect(structuredContent).toEqual(answer);
  },
);

it("a client that is no bridge fills in the defaults of a form", async () => {
  const client = await connect(asking, { elicit: () => ({ action: "accept", content: { name: "Bob" } }) });
  onTestFinished(() => client.close());
  const { structuredContent } = await client.tools.call("ask");
  expect(structuredContent).toEqual({ action: "accept", content: { name: "Bob", count: 42 } });
});
