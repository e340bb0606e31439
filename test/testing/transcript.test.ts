import { createMemoryPipe, createServer, servePipe, tool } from "allspeak";
import { connect, httpTransport } from "allspeak/client";
import { createFetchHandler } from "allspeak/http";
import { accept, connectTest, parseTranscript, record, replay, type Transcript } from "allspeak/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failure } from "../support/open-client.ts";
import { RawClient } from "../support/raw-client.ts";
import { restaurant } from "./restaurant.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;
const answers = { elicit: [accept({ confirm: true })] };

/** A conversation with calls, progress and a question. */
async function recordDinner(revision: (typeof revisions)[number], server = restaurant): Promise<Transcript> {
  const recording = record();
  await using client = await connectTest(server, { revision, answers, through: [recording] });
  await client.tools.list().all();
  await client.tools.call("price", { dish: "soup" }, { onProgress: () => {} });
  await client.tools.call("book", { seats: 2 });
  return recording.transcript;
}

describe("a transcript", () => {
  test("is JSON lines that can be read again", async () => {
    const recording = record();
    await using client = await connectTest(restaurant, { through: [recording], revision: "2026-07-28" });
    await client.tools.call("price", { dish: "soup" });
    const lines = recording
      .toText()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({
      transcript: 1,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      transport: { kind: "memory" },
    });
    expect(lines[1]).toMatchObject({
      at: expect.any(Number),
      from: "client",
      message: { method: "server/discover" },
    });
    expect(lines.at(-1)).toMatchObject({
      from: "server",
      message: { result: { structuredContent: { euros: 4 } } },
    });
    expect(parseTranscript(recording.toText())).toEqual(recording.transcript);
  });

  test.each([
    ['{"version":3}', 'its first line must have "transcript": 1'],
    ['{"transcript":1}', "Line 1 of the transcript must have startedAt"],
    ['{"transcript":1,"startedAt":"","transport":{"kind":"x"}}\n{', "Line 2 of the transcript is not JSON"],
    [
      '{"transcript":1,"startedAt":"","transport":{"kind":"x"}}\n{"at":1,"from":"me"}',
      'Line 2 of the transcript must have from, "client" or "server"',
    ],
  ])("that is broken is refused with the line: %s", (text, problem) => {
    expect(() => parseTranscript(text)).toThrow(problem);
  });

  test("has no secrets in it", async () => {
    const login = tool("login", { input: z.object({ password: z.string(), note: z.string() }) }, () => ({
      content: [{ type: "text", text: "Use Bearer abcdefgh12345678" }],
    }));
    const server = createServer({ name: "safe", version: "1.0.0", tools: [login] });
    const recording = record({ mask: ["note"] });
    const fetch = recording.fetch(createFetchHandler(server) as never);
    const headers = { Authorization: "Bearer top-secret-token" };
    await using client = await connect(
      httpTransport("http://localhost/mcp", { fetch: fetch as never, headers }),
    );
    await client.tools.call("login", { password: "hunter2", note: "under the mat" });
    const text = recording.toText();
    for (const secret of ["hunter2", "under the mat", "abcdefgh12345678", "top-secret-token"])
      expect(text).not.toContain(secret);
    expect(text).toContain('"password":"***"');
    expect(text).toContain("Use Bearer ***");
  });

  test("of a full recording says how much it lacks", async () => {
    const recording = record({ maxChars: 2_000 });
    await using client = await connectTest(restaurant, { through: [recording] });
    for (let call = 0; call < 10; call++) await client.tools.call("price", { dish: "soup" });
    expect(recording.toText().length).toBeLessThan(3_000);
    expect(recording.transcript.leftOut).toBeGreaterThan(10);
  });

  test("of an HTTP server has the requests and responses that carried the messages", async () => {
    const recording = record();
    const handler = createFetchHandler(restaurant);
    const fetch = recording.fetch(handler as never);
    await using client = await connectTest("http://localhost/mcp", {
      fetch: fetch as never,
      revision: "2025-11-25",
    });
    await client.tools.call("price", { dish: "soup" }, { onProgress: () => {} });
    const { entries, transport } = recording.transcript;
    expect(transport.kind).toBe("http");
    expect(entries.find(({ http }) => http?.method === "POST")).toMatchObject({
      from: "client",
      http: { path: "/mcp", headers: { "content-type": "application/json" } },
      message: { method: "initialize" },
    });
    expect(entries.map(({ message }) => (message as { method?: string })?.method)).toContain(
      "notifications/progress",
    );
    expect(JSON.stringify(entries)).toContain('"mcp-session-id":"***"');
    await handler.close();
  });

  test("of the server's end of a pipe is the same conversation", async () => {
    const recording = record();
    const [near, far] = createMemoryPipe();
    servePipe(restaurant, recording.pipe(far));
    const client = new RawClient(near);
    await client.initialize("2025-11-25");
    client.say("{");
    await client.until(({ error }) => error !== undefined);
    await client.close();
    expect(recording.transcript.entries.map(({ from, text }) => text ?? from)).toEqual([
      "client",
      "server",
      "client",
      "{",
      "server",
    ]);
  });
});

/** A server whose only tool is a task that asks. */
function createPlanner(word = "for") {
  const person = z.object({ name: z.string() });
  const plan = tool("plan", { task: "required", pollIntervalMs: 1 }, async (_args, ctx) => {
    await ctx.task?.status("thinking");
    const answer = await ctx.elicit("who", "For whom?", person);
    await ctx.task?.status("almost there");
    return answer.action === "accept" ? `${word} ${answer.content.name}` : answer.action;
  });
  return createServer({ name: "planner", version: "1.0.0", log: () => {}, tools: [plan] });
}

describe.each(revisions)("a replay of %s", (revision) => {
  test("waits for a task as the client did, whatever it saw of the task meanwhile", async () => {
    const recording = record();
    {
      const elicit = [accept({ name: "Ada" })];
      const options = { revision, tasks: true, answers: { elicit }, through: [recording] };
      await using client = await connectTest(createPlanner(), options);
      await client.tools.call("plan");
    }
    const same = await replay(recording.transcript).toServer(createPlanner());
    expect(same.text).toBe("");
    const other = await replay(recording.transcript).toServer(createPlanner("from"));
    expect(other.text).toMatch(/content\[0\]\.text\n {4}- "for Ada"\n {4}\+ "from Ada"/);
  });

  test("as a server answers each request with its own answer, and none that was not recorded", async () => {
    const recording = record();
    {
      await using client = await connectTest(restaurant, { revision, answers, through: [recording] });
      await client.tools.call("price", { dish: "soup" });
      await client.tools.call("book", { seats: 2 });
      await client.tools.call("price", { dish: "tiramisu" });
    }
    const played = replay(recording.transcript).asServer();
    await using client = await connectTest(played.transport, { revision });
    expect(await client.tools.call("price", { dish: "tiramisu" })).toMatchObject({
      structuredContent: { euros: 8 },
    });
    const { message } = await failure(client.tools.call("price", { dish: "stew" }));
    expect(message).toMatch(/no further tools\/call "price"/);
    expect(await client.tools.call("price", { dish: "soup" })).toMatchObject({
      structuredContent: { euros: 4 },
    });
  });

  test("finds no difference in the same server, though ids, states and tokens are new", async () => {
    const transcript = await recordDinner(revision);
    const report = await replay(transcript).toServer(restaurant, { waitMs: 1_000 });
    expect(report.text).toBe("");
    report.assertSame();
  });

  test("shows path by path what another server answers differently", async () => {
    const transcript = await recordDinner(revision);
    const other = createServer({ name: "restaurant", version: "1.0.1", log: () => {} });
    other.tool(
      "price",
      { input: z.object({ dish: z.string() }), output: z.object({ euros: z.number() }) },
      () => ({
        euros: 5,
      }),
    );
    const report = await replay(transcript).toServer(other, { waitMs: 20, ignore: ["result.tools"] });
    expect(report.text).toContain(`answer to tools/call "price"`);
    expect(report.text).toContain("  result.structuredContent.euros\n    - 4\n    + 5");
    expect(report.text).toMatch(/notifications\/progress \(line \d+\): missing/);
    expect(report.text).not.toContain("result.tools");
    expect(() => report.assertSame()).toThrow(/^The replay has \d+ differences:\n/);
  });

  test("as a server answers a client as the recorded server did", async () => {
    const transcript = await recordDinner(revision);
    const played = replay(transcript).asServer();
    const progress: unknown[] = [];
    await using client = await connectTest(played.transport, { revision, answers });
    await client.tools.list().all();
    const result = await client.tools.call(
      "price",
      { dish: "soup" },
      { onProgress: (one) => progress.push(one) },
    );
    expect(result).toMatchObject({ structuredContent: { euros: 4 } });
    expect(progress).toEqual([{ progress: 1, total: 2, message: "reading the menu" }]);
    expect(await client.tools.call("book", { seats: 2 })).toMatchObject({ content: [{ text: "booked" }] });
    expect(played.report.text).toBe("");
  });

  test("as a server says what a client sent differently, too much, and not at all", async () => {
    const played = replay(await recordDinner(revision)).asServer();
    await using client = await connectTest(played.transport, { revision, answers: { elicit: ["decline"] } });
    expect((await failure(client.tools.call("price", { dish: "stew" }))).message).toMatch(/no further/);
    await client.tools.call("book", { seats: 2 });
    expect((await failure(client.tools.call("whoami"))).message).toMatch(/no further tools\/call "whoami"/);
    const { text } = played.report;
    expect(text).toMatch(
      /tools\/call "price" \(line \d+\)\n {2}params\.arguments\.dish\n {4}- "soup"\n {4}\+ "stew"/,
    );
    expect(text).toMatch(/\n {4}- "accept"\n {4}\+ "decline"/);
    expect(text).toMatch(/tools\/call "price" \(line \d+\): missing/);
    expect(text).toMatch(/tools\/call "whoami": unexpected/);
    expect(text).toMatch(/tools\/list \(line \d+\): missing/);
  });
});
