import { createServer, form, tool } from "allspeak";
import { z } from "zod";
import { freeTimes, reserve } from "./restaurant.ts";

const party = form(z.object({ guests: z.number().int().min(1).max(6).describe("How many people") }));
const confirmation = form(z.object({ confirm: z.boolean().describe("Book this table") }));

const bookTable = tool(
  "book-table",
  {
    title: "Book a table",
    description: "Books a table for an evening. Asks the user for the number of guests, a time, and a yes",
    input: z.object({ day: z.enum(["friday", "saturday"]) }),
  },
  async ({ day }, ctx) => {
    const asked = await ctx.elicit("guests", "How many are you?", party);
    if (asked.action !== "accept") return "Not booked: the user did not say how many guests there are.";
    const { guests } = asked.content;

    const times = freeTimes(day, guests);
    if (times.length === 0) return `There is no table for ${guests} on ${day}.`;
    const chosen = await ctx.elicit("time", "At what time?", z.object({ time: z.enum(times) }));
    if (chosen.action !== "accept") return "Not booked: the user chose no time.";
    const { time } = chosen.content;

    const answer = await ctx.elicit("confirm", `${guests} guests, ${day} at ${time}?`, confirmation);
    if (!answer.content?.confirm) return "Not booked: the user said no.";
    // The handler runs again for each answer. What must happen once stands in `once`.
    const number = await ctx.once("reserve", () => reserve({ day, time, guests }));
    return `Booked: table ${number}, ${day} at ${time}, for ${guests}.`;
  },
);

/** A restaurant whose tool asks three questions, the second of which depends on the first. */
export const server = createServer({
  name: "booking",
  version: "1.0.0",
  title: "A table for tonight",
  tools: [bookTable],
});
