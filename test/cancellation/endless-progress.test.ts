import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { expect, test } from "vitest";

test("a handler in this process that reports without end leaves time for its cancellation", async () => {
  const server = createServer({ name: "test", version: "1.0.0" });
  let reports = 0;
  server.tool("count", {}, async (_, ctx) => {
    while (!ctx.signal.aborted && reports < 1_000_000) await ctx.progress(++reports);
    return "stopped";
  });
  const client = await connect(server);

  const call = client.tools.call("count", {}, { onProgress: () => {}, signal: AbortSignal.timeout(20) });

  await expect(call).rejects.toMatchObject({ code: "cancelled" });
  expect(reports).toBeLessThan(1_000_000);
  await client.close();
});
