import { expect, test } from "vitest";
import type { Talk } from "./talk.ts";

const toolNames = [
  "echo",
  "add",
  "fail",
  "every-kind",
  "whoami",
  "steps",
  "wait",
  "cancellations",
  "chatter",
  "ask-form",
  "ask-visit",
  "ask-model",
  "ask-roots",
  "roots-changes",
  "toggle",
  "touch",
];

export function testTools(talk: Talk): void {
  testResults(talk);
  testWhileRunning(talk);
}

/** What needs nothing of a connection but that calls are answered. */
export function testResults({ official, client }: Talk): void {
  test("our client lists the tools", async () => {
    const tools = await client().tools.list().all();
    expect(tools.map(({ name }) => name)).toEqual(toolNames);
    // The official servers leave nothing out for older revisions, and our client keeps what it gets.
    expect(tools[0]).toEqual({
      name: "echo",
      title: "Echo",
      description: "Says it again",
      inputSchema: {
        $schema: official.dialect,
        type: "object",
        properties: { text: { type: "string", description: "What to say" } },
        required: ["text"],
      },
      annotations: { readOnlyHint: true },
      ...official.addedToTools,
    });
  });

  test("a tool answers with text", async () => {
    const { content, isError } = await client().tools.call("echo", { text: "héllo 😀" });
    expect(content).toEqual([{ type: "text", text: "héllo 😀" }]);
    expect(isError).toBeUndefined();
  });

  test("a structured result comes with its text twin", async () => {
    const { content, structuredContent } = await client().tools.call("add", { a: 2, b: 3 });
    expect(content).toEqual([{ type: "text", text: "5" }]);
    expect(structuredContent).toEqual({ sum: 5 });
  });

  test("a tool answers with every kind of content", async () => {
    const { content } = await client().tools.call("every-kind");
    expect(content).toEqual([
      { type: "text", text: "words", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "image", data: "AQID", mimeType: "image/png" },
      { type: "audio", data: "BAUG", mimeType: "audio/wav" },
      { type: "resource_link", uri: "fixture://notes", name: "notes" },
      { type: "resource", resource: { uri: "fixture://note", mimeType: "text/plain", text: "remember" } },
    ]);
  });

  test("a tool that fails says why in its result", async () => {
    const { content, isError } = await client().tools.call("fail");
    expect(content).toEqual([{ type: "text", text: "There is no station near the North Pole." }]);
    expect(isError).toBe(true);
  });

  test("arguments that don't fit are refused in the result", async () => {
    // Also in the revisions that want an error there.
    const { content, isError } = await client().tools.call("add", { a: 1, b: "two" });
    expect(isError).toBe(true);
    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(/Invalid arguments for tool add: .*number/) },
    ]);
  });

  test("a tool that is not there is refused", async () => {
    const { as, text } = official.unknownTool;
    const call = client().tools.call("no-such-tool");
    if (as === "error")
      await expect(call).rejects.toMatchObject({ code: "rpc", wireCode: -32602, message: text });
    else expect(await call).toEqual({ content: [{ type: "text", text }], isError: true });
  });
}

function testWhileRunning({ since, host, client }: Talk): void {
  test("progress is reported while a tool runs", async () => {
    const heard: object[] = [];
    const { content } = await client().tools.call(
      "steps",
      {},
      { onProgress: (progress) => void heard.push(progress) },
    );
    expect(content).toEqual([{ type: "text", text: "3 of 3" }]);
    expect(heard).toEqual([
      { progress: 1, total: 3, message: "one" },
      { progress: 2, total: 3, message: "two" },
      { progress: 3, total: 3, message: "three" },
    ]);
  });

  test("a call that is cancelled ends on both sides", async () => {
    const controller = new AbortController();
    const call = client().tools.call(
      "wait",
      { name: "mine" },
      { signal: controller.signal, onProgress: () => controller.abort("changed my mind") },
    );
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    const { content } = await client().tools.call("cancellations");
    expect(content).toEqual([{ type: "text", text: "mine" }]);
  });

  test("log messages arrive from the level that was asked for", async () => {
    const { logs } = host;
    // Unless asked, servers of sessions tell everything, and others nothing.
    await client().tools.call("chatter");
    if (!since("2026-07-28")) {
      const levels = (await logs.take(3)).map(({ level }) => level);
      expect(levels).toEqual(["debug", "info", "error"]);
    }
    await client().setLogLevel("info");
    await client().tools.call("chatter");
    expect(await logs.take(2)).toEqual([
      { level: "info", data: { what: "a fact" } },
      { level: "error", data: "a failure" },
    ]);
    expect(logs.drain()).toEqual([]);
  });
}
