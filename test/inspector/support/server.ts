import { createServer, prompt, resource, type Server, tool } from "allspeak";
import { z } from "zod";

/** A server with one of everything that a page can show. Each test makes its own. */
export function createDemoServer(): Server {
  return createServer({
    name: "demo",
    version: "1.0.0",
    tools: [
      tool("echo", { input: z.object({ text: z.string() }) }, ({ text }) => text),
      tool(
        "add",
        {
          input: z.object({ a: z.number(), b: z.number() }),
          output: z.object({ sum: z.number() }),
        },
        ({ a, b }) => ({ sum: a + b }),
      ),
      tool("book", { input: z.object({ seats: z.number() }) }, async ({ seats }, ctx) => {
        const form = z.object({ name: z.string() });
        const answer = await ctx.elicit("name", `Book ${seats} seats?`, form);
        return answer.action === "accept" ? `Booked for ${answer.content.name}.` : "Not booked.";
      }),
      tool("summarize", { input: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
        const messages = [{ role: "user" as const, content: { type: "text" as const, text } }];
        return (await ctx.sample("summary", { messages, maxTokens: 50 })).text;
      }),
      tool("folders", {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(", ")),
      tool("count", {}, async (_, ctx) => {
        for (const step of [1, 2, 3]) await ctx.progress(step, 3, `step ${step}`);
        await ctx.log("warning", { counted: 3 });
        return "counted";
      }),
      tool("wait", {}, async (_, ctx) => {
        await ctx.progress(0, 1, "waiting");
        return new Promise<string>((_resolve, reject) =>
          ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)),
        );
      }),
    ],
    resources: [
      resource("note://today", { name: "today" }, () => "Water the plants."),
      resource(
        "note://{day}",
        { name: "day", complete: { day: () => ["monday", "tuesday"] } },
        ({ day }) => day,
      ),
    ],
    prompts: [prompt("review", { args: { code: z.string() } }, ({ code }) => `Review ${code}`)],
  });
}
