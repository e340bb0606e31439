import { createServer, prompt, resource, tool } from "allspeak";
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

const explain = prompt(
  "explain",
  { description: "Asks for an explanation of a unit", args: z.object({ unit: z.string() }) },
  ({ unit }) => `Explain the unit ${unit} to a child.`,
);

const units = resource("units://all", { mimeType: "text/plain" }, () => "celsius, fahrenheit");
const zero = resource("units://{unit}/zero", {}, ({ unit }) => (unit === "celsius" ? "0" : "32"));

/** A server whose tools, prompts and resources the compiler knows. */
export const server = createServer({
  name: "temperatures",
  version: "1.0.0",
  tools: [convert],
  prompts: [explain],
  resources: [units, zero],
});
