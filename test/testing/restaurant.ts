import { createServer, tool } from "allspeak";
import { z } from "zod";

const book = tool("book", { input: z.object({ seats: z.number() }) }, async ({ seats }, ctx) => {
  const answer = await ctx.elicit("confirm", `Book ${seats} seats?`, z.object({ confirm: z.boolean() }));
  return answer.action === "accept" && answer.content.confirm ? "booked" : `not booked: ${answer.action}`;
});

const review = tool("review", { input: z.object({}) }, async (_args, ctx) => {
  const messages = [{ role: "user", content: { type: "text", text: "Praise the soup" } }] as const;
  return (await ctx.sample("review", { messages, maxTokens: 10 })).text;
});

const places = tool("places", { input: z.object({}) }, async (_args, ctx) =>
  (await ctx.roots()).map(({ uri }) => uri).join(),
);

const whoami = tool("whoami", { input: z.object({}) }, (_args, ctx) => ctx.principal?.subject ?? "nobody");

const cook = tool(
  "cook",
  { input: z.object({ minutes: z.number() }) },
  ({ minutes }, ctx) =>
    new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve(`ready at ${new Date().toISOString()}`), minutes * 60_000);
      ctx.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve("burnt");
      });
    }),
);

const price = tool(
  "price",
  { input: z.object({ dish: z.string() }), output: z.object({ euros: z.number() }) },
  async ({ dish }, ctx) => {
    await ctx.progress(1, 2, "reading the menu");
    return { euros: dish.length };
  },
);

/** A server that asks, waits and reports. */
export const restaurant = createServer({
  name: "restaurant",
  version: "1.0.0",
  log: () => {},
  tools: [book, review, places, whoami, cook, price],
});
