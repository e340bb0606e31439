import { expect, test } from "vitest";
import { Queue } from "../../support/queue.ts";
import type { Talk } from "./talk.ts";

const toolNames = [
  "echo",
  "add",
  "fail",
  "every-kind",
  "steps",
  "release",
  "wait",
  "cancellations",
  "chatter",
  "whoami",
  "ask-form",
  "ask-visit",
  "ask-model",
  "ask-roots",
  "toggle",
  "touch",
];

export function testTools(talk: Talk): void {
  testListing(talk);
  testResults(talk);
  testWhileRunning(talk);
}

function testListing({ since, official }: Talk): void {
  test("the client lists all tools, each described as far as the revision can", async () => {
    const tools = await official().all("tools/list");
    expect(tools.map(({ name }) => name)).toEqual(toolNames);
    expect(tools[0]).toEqual({
      name: "echo",
      description: "Says it again",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string", description: "What to say" } },
        required: ["text"],
      },
      ...(since("2025-03-26") && { annotations: { readOnlyHint: true } }),
      ...(since("2025-06-18") && { title: "Echo" }),
    });
    expect(tools[1]).toEqual({
      name: "add",
      description: "Adds two numbers",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      ...(since("2025-06-18") && {
        outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      }),
    });
  });

  test("lists come page by page", async () => {
    const first = await official().page("tools/list");
    const second = await official().page("tools/list", first.nextCursor);
    const third = await official().page("tools/list", second.nextCursor);
    const fourth = await official().page("tools/list", third.nextCursor);
    const pages = [first, second, third, fourth].map(({ items }) => items.map(({ name }) => name));
    expect(pages).toEqual([
      toolNames.slice(0, 5),
      toolNames.slice(5, 10),
      toolNames.slice(10, 15),
      toolNames.slice(15),
    ]);
    expect(fourth.nextCursor).toBeUndefined();
    await expect(official().page("tools/list", "nonsense")).rejects.toMatchObject({ code: -32602 });
  });
}

function testResults({ since, official }: Talk): void {
  test("a tool answers with text", async () => {
    const { content, isError } = await official().call("echo", { text: "héllo 😀" });
    expect(content).toEqual([{ type: "text", text: "héllo 😀" }]);
    expect(isError).toBeUndefined();
  });

  test("a structured result has a text twin, and stands alone where the revision has no other", async () => {
    // Both generations check structured results against the schema that was listed.
    await official().all("tools/list");
    const { content, structuredContent } = await official().call("add", { a: 2, b: 3 });
    expect(content).toEqual([{ type: "text", text: '{"sum":5}' }]);
    expect(structuredContent).toEqual(since("2025-06-18") ? { sum: 5 } : undefined);
  });

  test("a tool that fails says why in its result", async () => {
    const { content, isError } = await official().call("fail");
    expect(content).toEqual([{ type: "text", text: "There is no station near the North Pole." }]);
    expect(isError).toBe(true);
  });

  test("content that the revision does not have becomes the nearest that it does", async () => {
    const { content } = await official().call("every-kind");
    const link = { type: "resource_link", uri: "fixture://notes", name: "notes", mimeType: "text/plain" };
    expect(content).toEqual([
      { type: "text", text: "words" },
      { type: "image", data: "AQID", mimeType: "image/png" },
      since("2025-03-26")
        ? { type: "audio", data: "BAUG", mimeType: "audio/wav" }
        : { type: "text", text: "[audio: audio/wav]" },
      since("2025-06-18") ? link : { type: "text", text: "notes: fixture://notes" },
      {
        type: "resource",
        resource: { uri: "fixture://note", mimeType: "text/plain", text: "remember" },
      },
    ]);
  });

  test("arguments that don't fit are refused where the revision says: in the result, or by an error", async () => {
    const call = official().call("add", { a: 2, b: "three" });
    if (since("2025-11-25")) {
      const { content, isError } = await call;
      expect(isError).toBe(true);
      expect(content).toEqual([{ type: "text", text: expect.stringMatching(/"add":\n.*b.*number/s) }]);
    } else {
      await expect(call).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(/"add"/) });
    }
  });

  test("an unknown tool is an error of the protocol", async () => {
    await expect(official().call("no-such-tool")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Unknown tool: no-such-tool"),
    });
  });
}

function testWhileRunning({ since, official }: Talk): void {
  test("progress is reported while a tool runs", async () => {
    const { call } = official();
    const heard = new Queue<object>();
    const running = call("steps", {}, { onProgress: (progress) => heard.push(progress) });
    const reported = await heard.take(3);
    await call("release");
    const { content } = await running;
    expect(content).toEqual([{ type: "text", text: "3 of 3" }]);
    const message = (text: string) => since("2025-03-26") && { message: text };
    expect(reported).toEqual([
      { progress: 1, total: 3, ...message("one") },
      { progress: 2, total: 3, ...message("two") },
      { progress: 3, total: 3, ...message("three") },
    ]);
  });

  test("a call that is cancelled ends on both sides", async () => {
    const controller = new AbortController();
    const call = official().call(
      "wait",
      { name: "mine" },
      { signal: controller.signal, onProgress: () => controller.abort("changed my mind") },
    );
    await expect(call).rejects.toThrow("changed my mind");
    const { content } = await official().call("cancellations");
    expect(content).toEqual([{ type: "text", text: "mine" }]);
  });

  test("log messages arrive from the level that was asked for", async () => {
    const { call, logs } = official();
    await call("chatter", {}, { logLevel: "info" });
    expect(await logs.take(2)).toEqual([
      { level: "info", logger: "fixture", data: { what: "a fact" } },
      { level: "error", data: "a failure" },
    ]);
    await call("chatter", {}, { logLevel: "error" });
    expect(await logs.next()).toEqual({ level: "error", data: "a failure" });
    expect(logs.drain()).toEqual([]);
  });
}
