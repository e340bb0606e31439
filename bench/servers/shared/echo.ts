import { createServer, type Server, tool } from "allspeak";
import { z } from "zod";
import { work } from "./work.ts";

/** A server with one tool, which works for as long as the driver wants. */
export function createEcho(): Server<unknown> {
  const echo = tool(
    "echo",
    { description: "Says it again", input: z.object({ text: z.string() }) },
    ({ text }) => {
      work();
      return text;
    },
  );
  return createServer({ name: "echo", version: "1.0.0", tools: [echo] });
}
