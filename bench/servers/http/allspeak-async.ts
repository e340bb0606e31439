import { createServer, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { z } from "zod";
import { announceUrl } from "../shared/announce.ts";

const input = z.object({ text: z.string() });
const echo = tool("echo", { description: "Says it again", input }, async ({ text }) => {
  await Promise.resolve();
  return text;
});

const { url } = await serveHttp(createServer({ name: "echo", version: "1.0.0", tools: [echo] }));
announceUrl(url);
