import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { expect, it } from "vitest";

it("a custom method may return nothing, at once or later, and sends an empty result", async () => {
  const server = createServer({ name: "s", version: "1" });
  server.method("acme/now", {}, () => {});
  server.method("acme/later", {}, async () => {});
  const client = await connect(server, { revisions: ["2025-11-25"] });
  expect(await client.request("acme/now", {})).toEqual({});
  expect(await client.request("acme/later", {})).toEqual({});
  await client.close();
});
