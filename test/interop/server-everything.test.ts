import type { Client } from "allspeak/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "./alive.ts";
import { callForTexts, connectEverything, type Everything } from "./everything.ts";

let everything: Everything;
let client: Client;

beforeAll(async () => {
  everything = await connectEverything({
    elicit: () => ({ action: "cancel" }),
    sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "" } }),
    roots: [],
  });
  client = everything.client;
});
afterAll(() => client.close());

describe("the server says what it has", () => {
  test("about itself", () => {
    expect(client.hint).toEqual({ revision: "2025-11-25" });
    expect(client.server.info).toMatchObject({ name: "mcp-servers/everything", version: "2.0.0" });
    expect(client.server.instructions).toMatch(/^# Everything Server/);
  });

  test("tools, those that need a capability of ours among them", async () => {
    const tools = await client.tools.list().all();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "echo",
      "get-annotated-message",
      "get-env",
      "get-resource-links",
      "get-resource-reference",
      "get-roots-list",
      "get-structured-content",
      "get-sum",
      "get-tiny-image",
      "gzip-file-as-resource",
      "simulate-research-query",
      "toggle-simulated-logging",
      "toggle-subscriber-updates",
      "trigger-elicitation-request",
      "trigger-long-running-operation",
      "trigger-sampling-request",
      "trigger-url-elicitation",
    ]);
  });

  test("resources, templates and prompts", async () => {
    const resources = await client.resources.list().all();
    expect(resources).toHaveLength(7);
    expect(resources[0]).toMatchObject({
      uri: "demo://resource/static/document/architecture.md",
      mimeType: "text/markdown",
    });
    const templates = await client.resources.templates().all();
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "demo://resource/dynamic/text/{resourceId}",
      "demo://resource/dynamic/blob/{resourceId}",
    ]);
    const prompts = await client.prompts.list().all();
    expect(prompts.map(({ name }) => name)).toEqual([
      "simple-prompt",
      "args-prompt",
      "completable-prompt",
      "resource-prompt",
    ]);
  });
});

describe("tools that only answer", () => {
  test("echo, and a sum", async () => {
    expect(await callForTexts(client, "echo", { message: "hé" })).toEqual(["Echo: hé"]);
    expect(await callForTexts(client, "get-sum", { a: 1, b: 2 })).toEqual(["The sum of 1 and 2 is 3."]);
  });

  test("an annotated message with an image", async () => {
    const { content } = await client.tools.call("get-annotated-message", {
      messageType: "error",
      includeImage: true,
    });
    expect(content).toEqual([
      {
        type: "text",
        text: "Error: Operation failed",
        annotations: { priority: 1, audience: ["user", "assistant"] },
      },
      {
        type: "image",
        data: expect.stringMatching(/^iVBOR/),
        mimeType: "image/png",
        annotations: { priority: 0.5, audience: ["user"] },
      },
    ]);
  });

  test("an image between two texts", async () => {
    const { content } = await client.tools.call("get-tiny-image");
    expect(content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
  });

  test("the environment, which has what was asked for and nothing that was not", async () => {
    const [text] = await callForTexts(client, "get-env");
    const env = JSON.parse(text ?? "");
    expect(env.INTEROP).toBe("yes");
    // Vitest sets this one for us, and nobody asked to pass it on.
    expect(process.env.VITEST).toBe("true");
    expect(env.VITEST).toBeUndefined();
  });

  test("links to resources, which can be read", async () => {
    const { content } = await client.tools.call("get-resource-links", { count: 2 });
    const uris = content.flatMap((block) => (block.type === "resource_link" ? [block.uri] : []));
    expect(uris).toEqual(["demo://resource/dynamic/blob/1", "demo://resource/dynamic/text/2"]);
    const { contents } = await client.resources.read(uris[1] ?? "");
    expect(contents).toMatchObject([{ uri: uris[1], text: expect.stringMatching(/^Resource 2: /) }]);
  });

  test("a resource with its contents", async () => {
    const { content } = await client.tools.call("get-resource-reference", {
      resourceType: "Blob",
      resourceId: 3,
    });
    const [, block] = content;
    if (block?.type !== "resource" || !("blob" in block.resource)) throw new Error("not an embedded blob");
    expect(Buffer.from(block.resource.blob, "base64").toString()).toMatch(/^Resource 3: /);
  });

  test("a structured result, which fits its schema", async () => {
    const { structuredContent } = await client.tools.call("get-structured-content", { location: "Chicago" });
    expect(structuredContent).toEqual({
      temperature: 36,
      conditions: "Light rain / drizzle",
      humidity: 82,
    });
  });

  test("arguments that don't fit are refused in the result", async () => {
    const invalid = await client.tools.call("get-sum", { a: 1 });
    expect(invalid).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/number/) }] });
  });

  test("a tool that only runs as a task is called as one", async () => {
    const task = await client.tools.call("simulate-research-query", { topic: "python" });
    expect(task.isError).toBeUndefined();
    expect(task.content).toMatchObject([{ type: "text", text: expect.stringMatching(/python/) }]);
  });
});

describe("prompts", () => {
  test("with and without arguments, and with a resource", async () => {
    const text = async (name: string, args?: Record<string, string>) =>
      (await client.prompts.get(name, args)).messages.map(({ content }) => content);
    expect(await text("simple-prompt")).toEqual([
      { type: "text", text: "This is a simple prompt without arguments." },
    ]);
    expect(await text("args-prompt", { city: "Oslo", state: "Norway" })).toEqual([
      { type: "text", text: "What's weather in Oslo, Norway?" },
    ]);
    expect(await text("resource-prompt", { resourceType: "Text", resourceId: "5" })).toMatchObject([
      { type: "text" },
      { type: "resource", resource: { uri: "demo://resource/dynamic/text/5" } },
    ]);
  });

  test("whose arguments are completed", async () => {
    const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
    const departments = await client.complete(ref, { name: "department", value: "S" });
    expect(departments.values).toEqual(["Sales", "Support"]);
    const context = { arguments: { department: "Sales" } };
    const names = await client.complete(ref, { name: "name", value: "" }, context);
    expect(names.values).toEqual(["David", "Eve", "Frank"]);
  });
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18"] as const)(
  "all this works in %s, too",
  async (revision) => {
    const older = await connectEverything({ revisions: [revision], roots: [] });
    expect(older.client.server.revision).toBe(revision);
    const names = (await older.client.tools.list().all()).map(({ name }) => name);
    expect(names).toContain("get-roots-list");
    // What was not declared is not offered.
    expect(names).not.toContain("trigger-sampling-request");
    expect(await callForTexts(older.client, "get-sum", { a: 2, b: 2 })).toEqual(["The sum of 2 and 2 is 4."]);
    expect((await older.client.resources.list().all()).length).toBe(7);
    expect((await older.client.prompts.list().all()).length).toBe(4);
    await older.client.close();
    expect(isAlive(older.pid)).toBe(false);
    expect(older.problems).toEqual([]);
  },
);

test("closing ends a server that would go on without its input", async () => {
  // Its timers keep it alive when its input has ended.
  await callForTexts(client, "toggle-simulated-logging");
  expect(isAlive(everything.pid)).toBe(true);
  await client.close();
  expect(isAlive(everything.pid)).toBe(false);
  expect(everything.problems).toEqual([]);
});
