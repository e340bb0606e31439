import { createServer, tool } from "allspeak";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Answer } from "../../../src/inspector/messages/question.ts";
import { openDemo } from "../support/demo.ts";
import { openPage, type Page } from "../support/page.ts";

/** Calls a tool whose server asks one question, and answers it. */
async function callAndAnswer(
  page: Page,
  call: { readonly connection: string; readonly name: string; readonly arguments: Record<string, unknown> },
  answer: Answer,
): Promise<void> {
  const called = page.send("call-tool", call);
  const { question } = await page.next("question");
  await page.send("answer", { question: question.id, answer });
  await called;
}

const accepted = (content: Record<string, unknown>): Answer => ({
  kind: "form",
  result: { action: "accept", content },
});

test.each(["2025-06-18", "2026-07-28"])(
  "a replay in %s answers the questions of the server as the person did",
  async (revision) => {
    const { page, connection } = await openDemo({ revisions: [revision] });
    const book = { connection, name: "book", arguments: { seats: 2 } };
    await callAndAnswer(page, book, accepted({ name: "Ada" }));
    await callAndAnswer(page, book, { kind: "form", result: { action: "decline" } });
    const summarize = { connection, name: "summarize", arguments: { text: "cats" } };
    const content = { type: "text", text: "They purr." } as const;
    await callAndAnswer(page, summarize, {
      kind: "sample",
      result: { role: "assistant", model: "person", content },
    });
    const folders = { connection, name: "folders", arguments: {} };
    await callAndAnswer(page, folders, { kind: "roots", roots: [{ uri: "file:///home/ada" }] });

    const { recording } = await page.send("save-recording", { connection, name: "answered" });
    const target = { kind: "connection", connection } as const;
    const replayed = await page.send("replay-recording", { recording: recording.id, target });
    expect(replayed.comparison).toMatchObject({ different: 0 });
    expect(replayed.comparison.pairs.filter(({ method }) => method === "tools/call")).toHaveLength(4);
    expect(replayed.answered).toBe(4);
  },
);

test("a scripted model that answers by itself does not speak over the recording", async () => {
  const { page, connection } = await openDemo();
  const content = { type: "text", text: "They purr." } as const;
  await callAndAnswer(
    page,
    { connection, name: "summarize", arguments: { text: "cats" } },
    { kind: "sample", result: { role: "assistant", model: "person", content } },
  );
  const { recording } = await page.send("save-recording", { connection, name: "sampled" });
  const model = { name: "script", sampling: "automatic", rules: [], otherwise: "Something else." } as const;
  await page.send("set-model", { model });
  const target = { kind: "connection", connection } as const;
  const { comparison } = await page.send("replay-recording", { recording: recording.id, target });
  expect(comparison).toMatchObject({ different: 0 });
});

test("a replay does not repeat a call that was given up", async () => {
  const { page, connection } = await openDemo();
  const waiting = page.send("call-tool", { connection, name: "wait", arguments: {} });
  const request = page.lastId;
  const cancelled = expect(waiting).rejects.toThrow("cancelled");
  await page.next("progress");
  await page.send("cancel", { request });
  await cancelled;
  await page.send("call-tool", { connection, name: "echo", arguments: { text: "on" } });
  const { recording } = await page.send("save-recording", { connection, name: "given up" });
  const target = { kind: "connection", connection } as const;
  const { comparison } = await page.send("replay-recording", { recording: recording.id, target });
  const calls = comparison.pairs.filter(({ method }) => method === "tools/call");
  expect(calls).toMatchObject([{ name: "echo", state: "same" }]);
});

function createAsker(message: string) {
  const ask = tool("ask", {}, async (_, ctx) => {
    const answer = await ctx.elicit("sure", message, z.object({ password: z.string(), sure: z.boolean() }));
    return answer.action === "accept" ? `sure: ${answer.content.sure}` : answer.action;
  });
  return createServer({ name: "asker", version: "1.0.0", tools: [ask] });
}

async function openAskers(recorded: string, now: string) {
  const servers = { recorded: { target: createAsker(recorded) }, now: { target: createAsker(now) } };
  const { page } = await openPage({ servers });
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "recorded" } });
  return { page, call: { connection: connection.id, name: "ask", arguments: {} } };
}

test("a question that the recording does not have goes to the person", async () => {
  const { page, call } = await openAskers("Shall I tidy up?", "Shall I delete everything?");
  await callAndAnswer(page, call, { kind: "form", result: { action: "decline" } });
  const { recording } = await page.send("save-recording", { connection: call.connection, name: "asked" });
  const target = { kind: "offered", name: "now" } as const;
  const replaying = page.send("replay-recording", { recording: recording.id, target });
  const { question } = await page.next("question");
  expect(question).toMatchObject({ kind: "form", ask: { message: "Shall I delete everything?" } });
  await page.send("answer", { question: question.id, answer: { kind: "refuse" } });
  expect(await replaying).toMatchObject({ answered: 0 });
});

test("an answer whose secret the recording has masked is asked for again", async () => {
  const { page, call } = await openAskers("Are you sure?", "Are you sure?");
  await callAndAnswer(page, call, accepted({ password: "hunter2-hunter2", sure: true }));
  const { recording } = await page.send("save-recording", { connection: call.connection, name: "secret" });
  const target = { kind: "offered", name: "now" } as const;
  const replaying = page.send("replay-recording", { recording: recording.id, target });
  const { question } = await page.next("question");
  await page.send("answer", {
    question: question.id,
    answer: accepted({ password: "hunter2-hunter2", sure: true }),
  });
  expect(await replaying).toMatchObject({ answered: 0, comparison: { different: 0 } });
});
