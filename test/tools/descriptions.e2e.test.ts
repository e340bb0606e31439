import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

const icon = (name: string) => [{ src: `https://example.com/${name}.png` }];
const meta = { "example.com/kind": "test" };

describeRevisions("what a server says of itself and its items", ({ open, since }) => {
  it("names the server with what the revision knows of a name", async () => {
    const { client } = await open();
    const plain = { name: "fixture", version: "1.2.3" };
    const titled = { ...plain, title: "The fixture" };
    const full = {
      ...titled,
      description: "A server for tests",
      websiteUrl: "https://example.com/fixture",
      icons: icon("fixture"),
    };
    expect(client.server.info).toEqual(
      since<object>({ "2024-11-05": plain, "2025-06-18": titled, "2025-11-25": full }),
    );
  });

  it("gives instructions", async () => {
    const { client } = await open();
    expect(client.server.instructions).toBe("Call anything.");
  });

  it("describes a tool", async () => {
    const { client } = await open();
    const tools = await client.tools.list().all();
    const plain = {
      name: "described",
      description: "Has everything that can be said of a tool",
      inputSchema: { type: "object", additionalProperties: false },
    };
    const annotations = { title: "Annotated", readOnlyHint: true, openWorldHint: false };
    const titled = { ...plain, annotations, title: "A described tool", _meta: meta };
    const icons = [{ src: "https://example.com/tool.png", mimeType: "image/png", sizes: ["48x48"] }];
    expect(tools.find(({ name }) => name === "described")).toEqual(
      since<object>({
        "2024-11-05": plain,
        "2025-03-26": { ...plain, annotations },
        "2025-06-18": titled,
        "2025-11-25": { ...titled, icons },
      }),
    );
  });

  it("describes a resource", async () => {
    const { client } = await open();
    const resources = await client.resources.list().all();
    const plain = {
      uri: "fixture://notes",
      name: "notes",
      description: "Things to remember",
      mimeType: "text/markdown",
      size: 11,
      annotations: { audience: ["assistant"], priority: 1 },
    };
    const titled = {
      ...plain,
      title: "Notes",
      annotations: { ...plain.annotations, lastModified: "2025-01-01T00:00:00Z" },
      _meta: meta,
    };
    expect(resources.find(({ name }) => name === "notes")).toEqual(
      since<object>({
        "2024-11-05": plain,
        "2025-06-18": titled,
        "2025-11-25": { ...titled, icons: icon("notes") },
      }),
    );
  });

  it("describes a template", async () => {
    const { client } = await open();
    const templates = await client.resources.templates().all();
    const plain = {
      uriTemplate: "fixture://weather/{city}/{day}",
      name: "weather",
      mimeType: "application/json",
    };
    expect(templates.find(({ name }) => name === "weather")).toEqual(
      since<object>({ "2024-11-05": plain, "2025-06-18": { ...plain, title: "Weather" } }),
    );
  });

  it("describes a prompt and its arguments", async () => {
    const { client } = await open();
    const prompts = await client.prompts.list().all();
    const name = { name: "name", description: "Who is greeted", required: true };
    const language = { name: "language", required: false };
    const plain = { name: "greet", description: "A greeting in a language", arguments: [name, language] };
    const titled = {
      ...plain,
      title: "Greet somebody",
      arguments: [{ ...name, title: "Name" }, language],
      _meta: meta,
    };
    expect(prompts.find((prompt) => prompt.name === "greet")).toEqual(
      since<object>({
        "2024-11-05": plain,
        "2025-06-18": titled,
        "2025-11-25": { ...titled, icons: icon("greet") },
      }),
    );
  });
});
