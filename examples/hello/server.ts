import { createServer, tool } from "allspeak";
import { z } from "zod";

const hello = tool(
  "hello",
  { description: "Greets somebody", input: z.object({ name: z.string().describe("Who is greeted") }) },
  ({ name }) => `Hello, ${name}!`,
);

/** A server with one tool. */
export const server = createServer({ name: "hello", version: "1.0.0", tools: [hello] });
