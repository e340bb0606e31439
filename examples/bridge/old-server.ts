// A server as it was written in 2024: only revision 2024-11-05, only on standard input and output.
import { createServer } from "allspeak";
import { serveStdio } from "allspeak/node";

const server = createServer({ name: "dictionary", version: "0.9.0", revisions: ["2024-11-05"] });
const words = new Map([["bridge", "A way from one side to the other."]]);

server.tool(
  "define",
  {
    description: "Explains a word. Asks the model of the client if the dictionary does not have it",
    input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  },
  async ({ word }, ctx) => {
    const known = words.get(String(word));
    if (known !== undefined) return known;
    const question = { type: "text", text: `What is a ${word}?` } as const;
    const { text } = await ctx.sample({ messages: [{ role: "user", content: question }], maxTokens: 50 });
    return text;
  },
);
await serveStdio(server);
