import { describe, expect, test } from "vitest";
import { openDemo } from "../support/demo.ts";

describe("one call in all revisions", () => {
  test("each revision answers, and differences are marked", async () => {
    const { page, connection } = await openDemo();
    const { answers } = await page.send("ask-in-revisions", {
      target: { kind: "connection", connection },
      operation: { kind: "call-tool", name: "add", arguments: { a: 1, b: 2 } },
    });
    expect(answers.map(({ revision, isSpoken }) => [revision, isSpoken])).toEqual([
      ["2026-07-28", true],
      ["2025-11-25", true],
      ["2025-06-18", true],
      ["2025-03-26", true],
      ["2024-11-05", true],
    ]);
    const [newest, , , , oldest] = answers;
    expect(newest?.result).toMatchObject({ resultType: "complete", structuredContent: { sum: 3 } });
    expect(oldest?.result).not.toHaveProperty("structuredContent");
    expect(oldest?.differences).toContainEqual({
      path: "/structuredContent",
      kind: "removed",
      left: { sum: 3 },
    });
    expect(await page.next("revision-answer")).toMatchObject({ answer: { revision: "2026-07-28" } });
  });
});

describe("the judge", () => {
  test("the report of the doctor", async () => {
    const { page, connection } = await openDemo();
    const { report } = await page.send("examine", { connection });
    expect(report.server).toEqual({ name: "demo", version: "1.0.0", revision: "2026-07-28" });
    expect(report.counts).toMatchObject({ tools: 7, prompts: 1 });
    expect(report.tokens.tools).toHaveLength(7);
    expect(report.revisions.every(({ isSpoken }) => isSpoken)).toBe(true);
    expect(report.findings).toContainEqual(
      expect.objectContaining({ about: 'tool "echo"', severity: "advice" }),
    );
    expect(await page.next("examine-step")).toMatchObject({ what: "connects and reads all lists" });
  });

  test("a load test has a histogram of all calls", async () => {
    const { page, connection } = await openDemo();
    const operation = { kind: "call-tool", name: "echo", arguments: { text: "x" } } as const;
    const { report } = await page.send("load-test", { connection, operation, calls: 50, concurrency: 5 });
    expect(report).toMatchObject({ calls: 50, failed: 0 });
    expect(report.histogram.reduce((sum, { calls }) => sum + calls, 0)).toBe(50);
    expect(report.samples.at(-1)).toMatchObject({ calls: 50, failed: 0 });
  });

  test("a load test has a course over time, however short it was", async () => {
    const { page, connection } = await openDemo();
    const { report } = await page.send("load-test", {
      connection,
      operation: { kind: "ping" },
      calls: 200,
      concurrency: 2,
    });
    const { samples } = report;
    expect(samples.length).toBeGreaterThan(5);
    expect(samples.map(({ atMs }) => atMs)).toEqual(samples.map(({ atMs }) => atMs).sort((a, b) => a - b));
    expect(samples.at(-1)).toMatchObject({ calls: 200, failed: 0 });
    expect(samples.every(({ p50, p99 }) => p50 > 0 && p99 >= p50)).toBe(true);
  });

  test("a load test says why calls failed", async () => {
    const { page, connection } = await openDemo();
    const operation = { kind: "call-tool", name: "echo", arguments: {} } as const;
    const { report } = await page.send("load-test", { connection, operation, calls: 20, concurrency: 2 });
    expect(report).toMatchObject({ calls: 20, failed: 20 });
    expect(report.samples.at(-1)).toMatchObject({ calls: 20, failed: 20 });
    expect(report.failures).toHaveLength(1);
  });
});

describe("a conversation", () => {
  test("a scripted model uses the tools of two servers, and questions are part of it", async () => {
    const { page, connection } = await openDemo();
    const other = await page.send("connect", { target: { kind: "offered", name: "demo" } });
    const { conversation, view } = await page.send("open-conversation", {
      connections: [connection, other.connection.id],
    });
    expect(view.servers.map(({ tools }) => tools)).toEqual([7, 7]);
    expect(view.tools).toHaveLength(14);
    const booking = view.tools.find(({ tool }) => tool.name.endsWith("book"))?.tool.name ?? "";

    const rules = [{ when: "table", call: { tool: booking, arguments: { seats: 4 } } }];
    const model = { name: "script", sampling: "ask", rules, otherwise: "Done: {last}" } as const;
    await page.send("set-model", { model });
    const said = page.send("say", { conversation, text: "A table, please" });
    const { question } = await page.next("question");
    await page.send("answer", {
      question: question.id,
      answer: { kind: "form", result: { action: "accept", content: { name: "Ada" } } },
    });
    const { steps } = await said;
    expect(steps.map(({ kind }) => kind)).toEqual(["user", "call", "result", "model"]);
    expect(steps.at(-1)).toMatchObject({ text: "Done: Booked for Ada." });
    const asked = await page.next("conversation-step", ({ step }) => step.kind === "asked");
    expect(asked.step).toMatchObject({ question: question.id, what: "form" });

    const { found } = await page.send("search-tools", { conversation, query: "echo" });
    expect(found[0]?.name).toContain("echo");
    await page.send("close-conversation", { conversation });
  });
});
