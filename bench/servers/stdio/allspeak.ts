import { createServer, tool } from "allspeak";
import { serveStdio } from "allspeak/node";
import { z } from "zod";

const echo = tool(
  "echo",
  { description: "Says it again", input: z.object({ text: z.string() }) },
  ({ text }) => text,
);

await serveStdio(createServer({ name: "echo", version: "1.0.0", tools: [echo] }));
