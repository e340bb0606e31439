import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { z } from "zod";

const server = new McpServer(
  { name: "echo", version: "1.0.0", description: "Says it again" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool(
  { name: "echo", description: "Says it again", schema: z.object({ text: z.string() }) },
  ({ text }) => ({ content: [{ type: "text", text }] }),
);

new StdioTransport(server).listen();
