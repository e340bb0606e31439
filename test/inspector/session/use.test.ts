import { createServer, tool } from "allspeak";
import { describe, expect, test } from "vitest";
import { openDemo } from "../support/demo.ts";
import { openPage } from "../support/page.ts";

describe("the page uses a server", () => {
  test("a result is checked against the output schema of its tool", async () => {
    const { page, connection } = await openDemo();
    const { result, output } = await page.send("call-tool", {
      connection,
      name: "add",
      arguments: { a: 1, b: 2 },
    });
    expect(result.structuredContent).toEqual({ sum: 3 });
    expect(output).toEqual({ state: "valid" });
  });

  test("progress and log messages arrive while a tool runs", async () => {
    const { page, connection } = await openDemo();
    await page.send("set-log-level", { connection, level: "info" });
    await page.send("call-tool", { connection, name: "count", arguments: {} });
    const request = page.lastId;
    expect(await page.next("progress")).toMatchObject({ request, progress: 1, total: 3, message: "step 1" });
    expect(await page.next("log")).toMatchObject({ connection, level: "warning", data: { counted: 3 } });
  });

  test("a call that is cancelled ends, on the server too", async () => {
    const { page, connection } = await openDemo();
    const waiting = page.send("call-tool", { connection, name: "wait", arguments: {} });
    const request = page.lastId;
    const cancelled = expect(waiting).rejects.toThrow("cancelled");
    await page.next("progress");
    await page.send("cancel", { request });
    await cancelled;
    const { calls } = await page.send("read-calls", {
      filter: { methods: ["tools/call"] },
      from: 0,
      count: 10,
    });
    expect(calls).toMatchObject([{ name: "wait", outcome: "cancelled" }]);
  });

  test("resources, templates, prompts and completions", async () => {
    const { page, connection } = await openDemo();
    const { items } = await page.send("list-resources", { connection });
    expect(items.map(({ uri }) => uri)).toEqual(["note://today"]);
    const { result } = await page.send("read-resource", { connection, uri: "note://today" });
    expect(result.contents).toMatchObject([{ text: "Water the plants." }]);

    const templates = await page.send("list-templates", { connection });
    expect(templates.items.map(({ uriTemplate }) => uriTemplate)).toEqual(["note://{day}"]);
    const ref = { type: "ref/resource", uri: "note://{day}" } as const;
    const { completion } = await page.send("complete", {
      connection,
      ref,
      argument: { name: "day", value: "m" },
    });
    expect(completion.values).toContain("monday");

    const prompt = await page.send("get-prompt", { connection, name: "review", arguments: { code: "1+1" } });
    expect(prompt.result.messages).toMatchObject([{ content: { text: "Review 1+1" } }]);
  });

  test("a subscription shows changes as they happen", async () => {
    const { page, connection, server } = await openDemo();
    const { subscription } = await page.send("subscribe", { connection, uris: ["note://today"] });
    await server.resources.updated("note://today");
    expect(await page.next("change")).toMatchObject({
      connection,
      change: { kind: "resource", uri: "note://today" },
    });
    const { id } = subscription;
    await page.send("unsubscribe", { subscription: id });
    await expect(page.send("unsubscribe", { subscription: id })).rejects.toThrow("not-found");
  });

  test("what is followed twice is followed once", async () => {
    const { page, connection, server } = await openDemo();
    const wanted = { connection, uris: ["note://today"] };
    const [first, second] = await Promise.all([
      page.send("subscribe", wanted),
      page.send("subscribe", wanted),
    ]);
    expect(second).toEqual(first);
    await page.send("unsubscribe", { subscription: first.subscription.id });
    await page.send("subscribe", { connection, uris: ["note://monday"] });
    await server.resources.updated("note://today");
    await server.resources.updated("note://monday");
    expect(await page.next("change")).toMatchObject({ change: { uri: "note://monday" } });
  });

  test("any request can be written by hand, and an error of the server is shown as it came", async () => {
    const { page, connection } = await openDemo();
    const { result } = await page.send("send-request", { connection, method: "tools/list" });
    expect(result.tools).toHaveLength(7);
    const missing = page.send("send-request", {
      connection,
      method: "prompts/get",
      params: { name: "none" },
    });
    await expect(missing).rejects.toMatchObject({ failure: { code: "rpc", rpc: { code: -32602 } } });
  });
});

describe("questions of a server", () => {
  test("a form is answered on the page", async () => {
    const { page, connection } = await openDemo();
    const booking = page.send("call-tool", { connection, name: "book", arguments: { seats: 2 } });
    const { question } = await page.next("question");
    expect(question).toMatchObject({ kind: "form", connection, ask: { message: "Book 2 seats?" } });
    const result = { action: "accept", content: { name: "Ada" } } as const;
    await page.send("answer", { question: question.id, answer: { kind: "form", result } });
    expect(await booking).toMatchObject({ result: { content: [{ text: "Booked for Ada." }] } });
    expect(await page.next("question-closed")).toMatchObject({ question: question.id, reason: "answered" });
  });

  test("a refusal is a decline, and a question can't be answered twice", async () => {
    const { page, connection } = await openDemo();
    const booking = page.send("call-tool", { connection, name: "book", arguments: { seats: 2 } });
    const { question } = await page.next("question");
    await page.send("answer", { question: question.id, answer: { kind: "refuse" } });
    expect(await booking).toMatchObject({ result: { content: [{ text: "Not booked." }] } });
    const again = page.send("answer", { question: question.id, answer: { kind: "refuse" } });
    await expect(again).rejects.toThrow("not-found");
  });

  test("a script suggests what a model would say, or says it by itself", async () => {
    const { page, connection } = await openDemo();
    const model = {
      name: "script",
      sampling: "ask",
      rules: [{ when: "cats", reply: "About cats." }],
      otherwise: "About {last}.",
    } as const;
    await page.send("set-model", { model });
    const asked = page.send("call-tool", { connection, name: "summarize", arguments: { text: "Cats purr" } });
    const { question } = await page.next("question");
    const suggested = await page.send("suggest-sample", { question: question.id });
    expect(suggested).toMatchObject({ rule: 0, result: { content: { text: "About cats." } } });
    await page.send("answer", {
      question: question.id,
      answer: { kind: "sample", result: suggested.result },
    });
    expect(await asked).toMatchObject({ result: { content: [{ text: "About cats." }] } });

    await page.send("set-model", { model: { ...model, sampling: "automatic" } });
    const answered = await page.send("call-tool", {
      connection,
      name: "summarize",
      arguments: { text: "dogs" },
    });
    expect(answered.result.content).toMatchObject([{ text: "About dogs." }]);
  });

  test("roots are asked for", async () => {
    const { page, connection } = await openDemo();
    const asked = page.send("call-tool", { connection, name: "folders", arguments: {} });
    const { question } = await page.next("question");
    const roots = [{ uri: "file:///home/ada" }];
    await page.send("answer", { question: question.id, answer: { kind: "roots", roots } });
    expect(await asked).toMatchObject({ result: { content: [{ text: "file:///home/ada" }] } });
  });

  test("a capability that the person left out is not declared", async () => {
    const { page, connection } = await openDemo({ without: ["elicitation"] });
    const call = page.send("call-tool", { connection, name: "book", arguments: { seats: 1 } });
    await expect(call).rejects.toThrow("elicitation");
  });
});

test("of more log messages than a page can read, the newest arrive", async () => {
  const flood = tool("flood", {}, async (_, ctx) => {
    await Promise.all(Array.from({ length: 1_000 }, (_unused, at) => ctx.log("info", at)));
    return "flooded";
  });
  const target = createServer({ name: "flood", version: "1.0.0", tools: [flood] });
  const { page } = await openPage({ servers: { flood: { target } } });
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "flood" } });
  await page.send("set-log-level", { connection: connection.id, level: "info" });
  await page.send("call-tool", { connection: connection.id, name: "flood", arguments: {} });
  let seen = 0;
  await page.next("log", ({ data }) => {
    seen += 1;
    return data === 999;
  });
  expect(seen).toBeLessThan(1_000);
});
