import { createServer } from "allspeak";
import { expect, test } from "vitest";
import { openRaw } from "../support/raw-client.ts";

test("progress that a handler reports after its answer is not sent", async () => {
  const server = createServer({ name: "test", version: "1.0.0" });
  let reportLate = async () => {};
  server.tool("steps", {}, async (_, ctx) => {
    await ctx.progress(1);
    reportLate = () => ctx.progress(2);
    return "done";
  });
  const client = openRaw(server);
  await client.initialize();

  await client.ask("tools/call", { name: "steps", _meta: { progressToken: "t" } });
  await reportLate();
  await client.ask("ping");

  const reported = client.heard.filter(({ method }) => method === "notifications/progress");
  expect(reported).toEqual([expect.objectContaining({ params: { progressToken: "t", progress: 1 } })]);
});
