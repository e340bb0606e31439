import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { announce } from "../shared/announce.ts";
import { flood, offers } from "./flood.ts";

const handler = createMcpHandler(() => {
  const server = new McpServer(
    { name: "streams", version: "1.0.0" },
    { capabilities: { logging: {}, tools: { listChanged: true } } },
  );
  server.registerTool(
    "talk",
    { description: "Says more than anybody reads", inputSchema: z.object({}) },
    async (_, ctx) => {
      for (let at = 0; at < offers; at++) {
        void ctx.mcpReq.notify({ method: "notifications/message", params: { level: "info", data: flood } });
        await setImmediate();
      }
      process.send?.("offered");
      return { content: [{ type: "text", text: "Done." }] };
    },
  );
  return server;
});

type Whole = Parameters<ReturnType<typeof toNodeHandler>>[0];
const handle = toNodeHandler(handler);
announce(createServer((request, response) => handle(request as Whole, response)));
