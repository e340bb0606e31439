import { createServer, link, prompt, ResourceNotFoundError, resource, ToolError, text, tool } from "allspeak";
import { z } from "zod";

const notes = new Map([
  ["shopping", "Bread, cheese, tomatoes."],
  ["birthday", "Ask Ada what she would like."],
]);

const title = z.string().min(1).max(80).describe("Title of the note");

const addNote = tool(
  "add-note",
  {
    title: "Add a note",
    description: "Writes a note, or replaces the note with the same title",
    input: z.object({ title, body: z.string().describe("Text of the note") }),
  },
  ({ title, body }) => {
    const isNew = !notes.has(title);
    notes.set(title, body);
    if (isNew) server.resources.changed();
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
    if (!notes.has(title)) throw new ToolError(`There is no note "${title}".`);
    const answer = await ctx.elicit("confirm", `Delete "${title}"?`, z.object({ confirm: z.boolean() }));
    if (answer.action !== "accept" || !answer.content.confirm) return `Kept "${title}".`;
    await ctx.once("delete", () => {
      notes.delete(title);
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
    let [words, done] = [0, 0];
    for (const [title, body] of notes) {
      words += body.split(/\s+/).length;
      await ctx.progress(++done, notes.size, title);
    }
    return { words };
  },
);

const note = resource(
  "note:///{title}",
  {
    name: "A note",
    mimeType: "text/plain",
    complete: { title: (typed) => [...notes.keys()].filter((known) => known.startsWith(typed)) },
    list: () => [...notes.keys()].map((known) => ({ uri: toUri(known), name: known })),
  },
  ({ title }, ctx) => {
    const body = notes.get(title);
    if (body === undefined) throw new ResourceNotFoundError(ctx.uri);
    return body;
  },
);

const summarize = prompt("summarize-notes", { description: "Asks for a summary of all notes" }, () => {
  const all = [...notes].map(([title, body]) => `${title}: ${body}`);
  return `Summarize these notes in two sentences.\n\n${all.join("\n")}`;
});

/** Notes that a person and a model keep together. They are in memory, so they are gone with the process. */
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
  const found = [...notes].filter(([title, body]) =>
    `${title} ${body}`.toLowerCase().includes(word.toLowerCase()),
  );
  return found.map(([title]) => title);
}
