// The same server without a schema library.
import { createServer, tool } from "allspeak";
import { serveStdio } from "allspeak/node";

const input = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
} as const;

const echo = tool("echo", { description: "Says it again", input }, ({ text }) => String(text));

await serveStdio(createServer({ name: "echo", version: "1.0.0", tools: [echo] }));
