import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

const image = { type: "image", data: "AQID", mimeType: "image/png" };
const audio = { type: "audio", data: "AQID", mimeType: "audio/wav" };
const blob = { type: "resource", resource: { uri: "fixture://blob", blob: "AQID" } };
const link = {
  type: "resource_link",
  uri: "fixture://notes",
  name: "notes",
  title: "Notes",
  description: "Things to remember",
  size: 3,
};
const linkAsText = { type: "text", text: "Notes: fixture://notes\nThings to remember" };

const words = { type: "text", text: "words", annotations: { audience: ["user"], priority: 0.5 } };
const datedWords = { ...words, annotations: { ...words.annotations, lastModified: "2025-01-01T00:00:00Z" } };
const note = {
  type: "resource",
  resource: { uri: "fixture://note", mimeType: "text/plain", text: "remember" },
};
const noteWithMeta = { ...note, resource: { ...note.resource, _meta: { "example.com/n": 1 } } };

describeRevisions("content", ({ open, since }) => {
  it("that a revision does not know becomes the nearest that it does", async () => {
    const { client, wire } = await open();
    await client.tools.call("every-kind");
    expect(wire.result("tools/call").content).toEqual(
      since({
        "2024-11-05": [words, image, { type: "text", text: "[audio: audio/wav]" }, linkAsText, note, blob],
        "2025-03-26": [words, image, audio, linkAsText, note, blob],
        "2025-06-18": [datedWords, image, audio, link, noteWithMeta, blob],
        "2025-11-25": [
          datedWords,
          image,
          audio,
          { ...link, icons: [{ src: "https://example.com/notes.png" }] },
          noteWithMeta,
          blob,
        ],
      }),
    );
  });

  it("of a kind that no revision has reaches the client as it is", async () => {
    const { client } = await open();
    const result = await client.tools.call("unheard-of");
    expect(result.content).toEqual([
      { type: "hologram", beams: 3 },
      { type: "text", text: "words" },
    ]);
    allowViolations("no revision has this kind of content", /"hologram"/);
  });

  it("of a prompt's messages is treated alike", async () => {
    const { client } = await open();
    const { messages } = await client.prompts.get("conversation");
    expect(messages).toEqual([
      { role: "user", content: image },
      {
        role: "assistant",
        content: since<object>({
          "2024-11-05": { type: "text", text: "notes: fixture://notes" },
          "2025-06-18": { type: "resource_link", uri: "fixture://notes", name: "notes" },
        }),
      },
      { role: "user", content: { type: "text", text: "Go on." } },
    ]);
  });
});
