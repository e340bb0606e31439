import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { McpServer } from "tmcp";
import { z } from "zod";
import { serveFetch } from "./serve-fetch.ts";

const server = new McpServer(
  { name: "echo", version: "1.0.0", description: "Says it again" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool(
  { name: "echo", description: "Says it again", schema: z.object({ text: z.string() }) },
  ({ text }) => ({ content: [{ type: "text", text }] }),
);

const transport = new HttpTransport(server, { path: "/mcp" });
serveFetch((request) => transport.respond(request));
