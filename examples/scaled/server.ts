import { createServer, type Server } from "allspeak";
import { z } from "zod";

/** A small server that asks, and that tells of changes; each node has one of its own. */
export function createBoard(): Server<unknown> {
  const server = createServer({ name: "board", version: "1.0.0" });
  server.resource("board://today", { name: "today" }, () => `It is ${new Date().toDateString()}.`);
  server.tool("node", { description: "Tells which process answers" }, () => String(process.pid));
  server.tool("change", { description: "Tells all who subscribed that the board has changed" }, async () => {
    await server.resources.updated("board://today");
    return "Changed.";
  });
  server.tool("book", { description: "Books after a question" }, async (_, ctx) => {
    const answer = await ctx.elicit("seats", "How many seats?", z.object({ seats: z.number() }));
    return answer.action === "accept" ? `Booked ${answer.content.seats} seats.` : "Not booked.";
  });
  return server;
}
