import { createServer, link, prompt, ResourceNotFoundError, resource, ToolError, text, tool } from "allspeak";
import { z } from "zod";
import { openNoteStore } from "./note-store.ts";

const notes = openNoteStore(process.env.NOTES_FILE);

const title = z.string().min(1).max(80).describe("Title of the note");

const addNote = tool(
  "add-note",
  {
    title: "Add a note",
    description: "Writes a note, or replaces the note with the same title",
    input: z.object({ title, body: z.string().describe("Text of the note") }),
  },
  ({ title, body }) => {
    if (notes.write(title, body)) server.resources.changed();
    else void server.resources.updated(toUri(title));
    return [text(`Saved "${title}".`), link(toUri(title), { name: title })];
  },
);

const searchNotes = tool(
  "search-notes",
  {
    title: "Search notes",
    description: "Finds the notes that contain a word",
    input: z.object({ word: z.string().min(1) }),
    output: z.object({ titles: z.array(z.string()) }),
    annotations: { readOnlyHint: true },
  },
  ({ word }) => ({ titles: titlesWith(word) }),
);

const deleteNote = tool(
  "delete-note",
  {
    title: "Delete a note",
    description: "Deletes a note, after the user has confirmed it",
    input: z.object({ title }),
    annotations: { destructiveHint: true },
  },
  async ({ title }, ctx) => {
    if (notes.read(title) === undefined) throw new ToolError(`There is no note "${title}".`);
    const answer = await ctx.elicit("confirm", `Delete "${title}"?`, z.object({ confirm: z.boolean() }));
    if (answer.action !== "accept" || !answer.content.confirm) return `Kept "${title}".`;
    await ctx.once("delete", () => {
      notes.remove(title);
      server.resources.changed();
    });
    return `Deleted "${title}".`;
  },
);

const countWords = tool(
  "count-words",
  {
    title: "Count words",
    description: "Counts the words of all notes, and reports its progress",
    output: z.object({ words: z.number() }),
    annotations: { readOnlyHint: true },
  },
  async (_input, ctx) => {
    const titles = notes.titles();
    let words = 0;
    for (const [index, title] of titles.entries()) {
      words += notes.read(title)?.split(/\s+/).length ?? 0;
      await ctx.progress(index + 1, titles.length, title);
    }
    return { words };
  },
);

const note = resource(
  "note:///{title}",
  {
    name: "A note",
    mimeType: "text/plain",
    complete: { title: (typed) => notes.titles().filter((known) => known.startsWith(typed)) },
    list: () => notes.titles().map((known) => ({ uri: toUri(known), name: known })),
  },
  ({ title }, ctx) => {
    const body = notes.read(title);
    if (body === undefined) throw new ResourceNotFoundError(ctx.uri);
    return body;
  },
);

const summarize = prompt("summarize-notes", { description: "Asks for a summary of all notes" }, () => {
  const all = notes.titles().map((title) => `${title}: ${notes.read(title)}`);
  return `Summarize these notes in two sentences.\n\n${all.join("\n")}`;
});

/** Notes that a person and a model keep together. */
export const server = createServer({
  name: "notes",
  version: "1.0.0",
  title: "Notes",
  instructions: "Search before you add a note. The user confirms each deletion.",
  tools: [addNote, searchNotes, deleteNote, countWords],
  resources: [note],
  prompts: [summarize],
});

function toUri(title: string): string {
  return `note:///${encodeURIComponent(title)}`;
}

function titlesWith(word: string): string[] {
  const isIn = (text: string) => text.toLowerCase().includes(word.toLowerCase());
  return notes.titles().filter((title) => isIn(`${title} ${notes.read(title)}`));
}
