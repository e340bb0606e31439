// The same server without a schema library.
import { createServer, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { announceUrl } from "../shared/announce.ts";

const input = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
} as const;

const echo = tool("echo", { description: "Says it again", input }, ({ text }) => String(text));
const { url } = await serveHttp(createServer({ name: "echo", version: "1.0.0", tools: [echo] }));
announceUrl(url);
