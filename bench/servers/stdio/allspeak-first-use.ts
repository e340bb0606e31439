// A server with everything that is loaded when it is first used.
import { createServer, prompt, resource, tool } from "allspeak";
import { serveStdio } from "allspeak/node";
import { z } from "zod";

const input = { type: "object", properties: { text: { type: "string" } } } as const;
const confirmation = { type: "object", properties: { ok: { type: "boolean" } } } as const;

const inner = createServer({
  name: "inner",
  version: "1.0.0",
  tools: [tool("echo", { input }, ({ text }) => String(text))],
});
const server = createServer({
  name: "first-use",
  version: "1.0.0",
  tools: [
    tool("plain", {}, () => "x"),
    tool("object", {}, () => ({ x: 1 })),
    tool("echo", { input }, ({ text }) => String(text)),
    tool("ask", { input }, async (_, ctx) => JSON.stringify(await ctx.elicit("ok", "Go on?", confirmation))),
    tool("later", { input, task: "optional" }, async () => "done"),
  ],
  resources: [
    resource("note://one", { name: "one" }, () => "A note."),
    resource("note://{name}/text", { name: "text" }, ({ name }) => String(name)),
  ],
  prompts: [
    prompt(
      "review",
      { args: { code: z.string() }, complete: { code: () => ["a", "b"] } },
      ({ code }) => code,
    ),
  ],
});
server.mount("inner", inner);
await serveStdio(server);
