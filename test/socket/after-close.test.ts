import { type Context, createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { serveSocket, socketTransport } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";

it.each(["2025-11-25", "2026-07-28"] as const)(
  "log messages and progress for a client that left go nowhere, in %s",
  async (revision) => {
    const contexts: Context[] = [];
    const leave = tool("leave", {}, (_, ctx) => {
      contexts.push(ctx);
      return "done";
    });
    const server = createServer({ name: "forgetful", version: "1.0.0", tools: [leave] });
    const running = await serveSocket(server, { port: 0 });
    onTestFinished(() => running.close());
    const client = await connect(socketTransport(running.address), { revisions: [revision] });
    await client.tools.call("leave", {}, { onProgress: () => {} });
    await client.close();
    await running.close();
    await expect(contexts[0]?.log("error", "late")).resolves.toBeUndefined();
    await expect(contexts[0]?.progress(1)).resolves.toBeUndefined();
  },
);
