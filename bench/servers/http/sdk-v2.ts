// Requests that stand for themselves go to the handler that the SDK has for them, all others to the
// transport of their session; JSON answers, which are its fastest.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { announce } from "../shared/announce.ts";

const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

function define(): McpServer {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool(
    "echo",
    { description: "Says it again", inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  return server;
}

async function open(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await define().connect(transport);
  return transport;
}

type Whole = Parameters<ReturnType<typeof toNodeHandler>>[0];
const alone = toNodeHandler(createMcpHandler(define));

announce(
  createServer(async (request, response) => {
    const { headers } = request;
    if (headers["mcp-method"] !== undefined) return alone(request as Whole, response);
    const transport = sessions.get(String(headers["mcp-session-id"])) ?? (await open());
    await transport.handleRequest(request, response);
  }),
);
