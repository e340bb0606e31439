import { createServer } from "allspeak";
import { z } from "zod";

const beds = ["beans", "tomatoes", "roses"];

/** A garden: one tool reports progress, one asks. */
export const server = createServer({ name: "garden", version: "1.0.0" });

server.tool("water", "Waters all beds", async (_, ctx) => {
  for (const [index, bed] of beds.entries()) await ctx.progress(index + 1, beds.length, bed);
  return "Watered.";
});

server.tool("harvest", "Picks the tomatoes, if the user wants to", async (_, ctx) => {
  const answer = await ctx.elicit("confirm", "Pick the tomatoes?", z.object({ confirm: z.boolean() }));
  return answer.content?.confirm ? "Picked." : "Left on the plant.";
});
