// The official SDK v1 has a WebSocket client, and nothing to serve it with.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { createServer, tool } from "allspeak";
import { serveHttp, websocketLimits } from "allspeak/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";

test("the official SDK v1 client talks to our server over a WebSocket", async () => {
  vi.stubGlobal("WebSocket", WebSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  let onSeen = (_progress: number): void => {};
  const count = tool("count", { input: z.object({ to: z.number() }) }, async ({ to }, ctx) => {
    for (let n = 1; n <= to; n++) {
      const seen = new Promise((resolve) => {
        onSeen = resolve;
      });
      await ctx.progress(n, to);
      expect(await seen).toBe(n);
    }
    return `counted to ${to}`;
  });
  const server = createServer({ name: "ours", version: "1.0.0", tools: [count] });
  const running = await serveHttp(server, { websocket: new WebSocketServer(websocketLimits()) });
  onTestFinished(() => running.close(0));

  const client = new Client({ name: "official", version: "1.0.0" });
  await client.connect(new WebSocketClientTransport(new URL(running.url.replace("http", "ws"))));
  const result = await client.callTool({ name: "count", arguments: { to: 3 } }, undefined, {
    onprogress: ({ progress }) => onSeen(progress),
  });
  expect(result.content).toEqual([{ type: "text", text: "counted to 3" }]);
  await client.close();
});
