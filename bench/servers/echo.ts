import { createServer, type Server, tool } from "allspeak";
import { z } from "zod";

/** A server with one tool. */
export function createEcho(): Server<unknown> {
  const echo = tool(
    "echo",
    { description: "Says it again", input: z.object({ text: z.string() }) },
    ({ text }) => text,
  );
  return createServer({ name: "echo", version: "1.0.0", tools: [echo] });
}
