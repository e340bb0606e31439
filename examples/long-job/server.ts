import { setTimeout as sleep } from "node:timers/promises";
import { createServer, tool } from "allspeak";
import { z } from "zod";

const chapters = ["Beginning", "Middle", "End"];

/** The chapters that were printed, of all books; a step that `ctx.once` has done is not done again. */
export const printed: string[] = [];

const printBook = tool(
  "print-book",
  {
    title: "Print a book",
    description: "Prints a book chapter by chapter. Takes long, so it goes on after the client has gone",
    input: z.object({
      title: z.string(),
      secondsPerChapter: z.number().min(0).max(60).default(0.2),
      askForCover: z.boolean().default(false),
    }),
    task: "optional",
    pollIntervalMs: 50,
  },
  async ({ title, secondsPerChapter, askForCover }, ctx) => {
    for (const [index, chapter] of chapters.entries()) {
      // In a task this becomes the status; in a normal call it is progress.
      await ctx.progress(index, chapters.length, `printing "${chapter}"`);
      await ctx.once(chapter, async () => {
        await sleep(secondsPerChapter * 1000, undefined, { signal: ctx.signal });
        printed.push(`${title}: ${chapter}`);
      });
    }
    if (!askForCover) return `${title}: ${chapters.length} chapters.`;
    const { content } = await ctx.elicit(
      "cover",
      "Which colour has the cover?",
      z.object({ colour: z.string() }),
    );
    return `${title}: ${chapters.length} chapters in ${content?.colour ?? "white"}.`;
  },
);

/** A printer that takes its time. */
export const server = createServer({
  name: "long-job",
  version: "1.0.0",
  title: "A printer of books",
  tools: [printBook],
});
