import { createServer, tool } from "allspeak";
import { z } from "zod";

const convert = tool(
  "convert",
  {
    description: "Converts a temperature",
    input: z.object({ value: z.number(), to: z.enum(["celsius", "fahrenheit"]) }),
    output: z.object({ value: z.number() }),
  },
  ({ value, to }) => ({ value: to === "celsius" ? ((value - 32) * 5) / 9 : (value * 9) / 5 + 32 }),
);

/** A server whose tools the compiler knows. */
export const server = createServer({ name: "temperatures", version: "1.0.0", tools: [convert] });
