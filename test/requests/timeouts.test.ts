import { afterEach, describe, expect, test, vi } from "vitest";
import type { Client, ConnectOptions, Progress } from "../../src/client.ts";
import { TimeoutError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, handshakeServer, type Line, silence } from "../support/scripted-server.ts";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "Sure?", requestedSchema: { type: "object", properties: {} } },
};

afterEach(() => {
  vi.useRealTimers();
});

describe("a call that is not answered in time", () => {
  test("rejects when silent too long, and tells the server", async () => {
    vi.useFakeTimers();
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const outcome = failure(client.tools.call("slow", {}, { timeout: { idle: 1_000 } }));
    await vi.advanceTimersByTimeAsync(999);
    expect(server.line.methods()).not.toContain("notifications/cancelled");
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toMatchObject({ code: "timeout", limit: "idle", ms: 1_000 });
    const { id } = await server.line.saw("tools/call");
    expect(server.line.paramsOf("notifications/cancelled")).toMatchObject([{ requestId: id }]);
  });

  test("has the client's limits unless it sets its own", async () => {
    vi.useFakeTimers();
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server, { timeout: { idle: 500, total: 2_000 } });
    const outcomes = [
      failure(client.tools.call("a")),
      failure(client.tools.call("b", {}, { timeout: { idle: 5_000 } })),
    ];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await outcomes[0]).toMatchObject({ limit: "idle", ms: 500 });
    expect(await outcomes[1]).toMatchObject({ limit: "total", ms: 2_000 });
  });

  test("lives as long as progress comes, but not for ever", async () => {
    vi.useFakeTimers();
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const seen: Progress[] = [];
    const outcome = failure(
      client.tools.call(
        "slow",
        {},
        { timeout: { idle: 1_000, total: 10_000 }, onProgress: (progress) => seen.push(progress) },
      ),
    );
    const { params } = await server.line.saw("tools/call");
    const { progressToken } = params._meta;
    for (let second = 1; second <= 12; second++) {
      server.line.notify("notifications/progress", {
        progressToken,
        progress: second,
        total: 12,
        message: "on",
      });
      await vi.advanceTimersByTimeAsync(900);
    }
    expect(await outcome).toMatchObject({ code: "timeout", limit: "total" });
    expect(seen[1]).toEqual({ progress: 2, total: 12, message: "on" });
    expect(seen.length).toBe(12);
  });

  test("has ten minutes in all by default, whatever progress says", async () => {
    vi.useFakeTimers();
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const outcome = failure(client.tools.call("slow", {}, { onProgress: () => {} }));
    const { params } = await server.line.saw("tools/call");
    const { progressToken } = params._meta;
    for (let minute = 1; minute <= 20; minute++) {
      server.line.notify("notifications/progress", { progressToken, progress: minute });
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(await outcome).toMatchObject({ limit: "total", ms: 600_000 });
  });

  test("lives for ten minutes by progress that nobody listens to", async () => {
    vi.useFakeTimers();
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const call = client.tools.call("slow");
    const { id, params } = await server.line.saw("tools/call");
    for (let progress = 1; progress < 12; progress++) {
      await vi.advanceTimersByTimeAsync(50_000);
      server.line.notify("notifications/progress", {
        progressToken: params._meta.progressToken,
        progress,
      });
    }
    server.line.send({ id, result: text("at last") });
    expect(await call).toMatchObject(text("at last"));
  });

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ["tools/call", (client) => client.tools.call("a")],
    ["resources/read", (client) => client.resources.read("file:///a")],
    ["prompts/get", (client) => client.prompts.get("a")],
    ["acme/long", (client) => client.request("acme/long")],
  ])("asks for progress of %s, unless silence can't end it", async (method, send) => {
    const server = handshakeServer("2025-06-18", { script: { [method]: () => silence } });
    for (const timeout of [{}, { idle: Number.POSITIVE_INFINITY }, { idle: 500, total: 500 }]) {
      const client = await openClient(server, { timeout });
      void send(client).catch(() => {});
      const { id, params } = await server.line.saw(method);
      expect(params._meta?.progressToken).toBe("idle" in timeout ? undefined : id);
    }
  });

  test.each<[string, (line: Line) => void]>([
    ["log messages", (line) => line.notify("notifications/message", { level: "info", data: "on" })],
    ["pings", (line) => line.send({ id: "p", method: "ping" })],
  ])("lives by %s of the server", async (_, giveSign) => {
    vi.useFakeTimers();
    const server = handshakeServer("2025-11-25", { script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const call = client.tools.call("slow", {}, { timeout: { idle: 1_000 } });
    const { id } = await server.line.saw("tools/call");
    for (let second = 0; second < 5; second++) {
      await vi.advanceTimersByTimeAsync(900);
      giveSign(server.line);
    }
    await vi.advanceTimersByTimeAsync(900);
    server.line.send({ id, result: text("at last") });
    expect(await call).toMatchObject(text("at last"));
  });

  test("does not live by the progress of another call", async () => {
    vi.useFakeTimers();
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server, { timeout: { idle: 1_000 } });
    const silent = failure(client.tools.call("silent"));
    const busy = failure(client.tools.call("busy"));
    await vi.advanceTimersByTimeAsync(900);
    const [, { _meta }] = server.line.paramsOf("tools/call");
    server.line.notify("notifications/progress", { progressToken: _meta.progressToken, progress: 1 });
    await vi.advanceTimersByTimeAsync(100);
    expect(await silent).toMatchObject({ limit: "idle" });
    expect(server.line.paramsOf("notifications/cancelled")).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(900);
    expect(await busy).toMatchObject({ limit: "idle" });
  });

  test("does not count the time in which the server waits for the user", async () => {
    vi.useFakeTimers();
    const server = handshakeServer("2025-11-25", { script: { "tools/call": () => silence } });
    let answer: (result: { action: "decline" }) => void = () => {};
    const client = await openClient(server, {
      elicit: () => new Promise((resolve) => (answer = resolve)),
    });
    const call = client.tools.call("book", {}, { timeout: { idle: 1_000 } });
    const { id } = await server.line.saw("tools/call");
    const asked = server.line.ask("q", "elicitation/create", {
      message: "Sure?",
      requestedSchema: { type: "object", properties: {} },
    });
    await vi.advanceTimersByTimeAsync(30_000);
    answer({ action: "decline" });
    expect(await asked).toMatchObject({ result: { action: "decline" } });
    await vi.advanceTimersByTimeAsync(900);
    server.line.send({ id, result: text("late, but fine") });
    expect(await call).toMatchObject(text("late, but fine"));
  });

  test.each<[string, (wait: (context: { signal: AbortSignal }) => Promise<never>) => ConnectOptions, object]>(
    [
      ["elicit", (wait) => ({ elicit: (_, context) => wait(context) }), form],
      [
        "sample",
        (wait) => ({ sample: (_, context) => wait(context) }),
        { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
      ],
      ["roots", (wait) => ({ roots: wait }), { method: "roots/list" }],
    ],
  )("ends at its total while %s has not answered, and aborts it", async (_, toOptions, question) => {
    vi.useFakeTimers();
    const unfinished = { resultType: "input_required", inputRequests: { q: question } };
    const server = discoverServer({ script: { "tools/call": () => unfinished } });
    let ask: (signal: AbortSignal) => void = () => {};
    const asked = new Promise<AbortSignal>((resolve) => (ask = resolve));
    const options = toOptions(({ signal }) => {
      ask(signal);
      return new Promise(() => {});
    });
    const client = await openClient(server, options);
    const outcome = failure(client.tools.call("book", {}, { timeout: { idle: 1_000, total: 3_000 } }));
    const signal = await asked;
    await vi.advanceTimersByTimeAsync(2_999);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal.aborted).toBe(true);
    expect(await outcome).toMatchObject({ code: "timeout", limit: "total", ms: 3_000 });
  });

  test("has only what the user has left of its total for the next round", async () => {
    vi.useFakeTimers();
    const answers = [{ resultType: "input_required", inputRequests: { q: form } }, silence];
    const server = discoverServer({ script: { "tools/call": () => answers.shift() } });
    let ask: (answer: (result: { action: "decline" }) => void) => void = () => {};
    const asked = new Promise<Parameters<typeof ask>[0]>((resolve) => (ask = resolve));
    const client = await openClient(server, { elicit: () => new Promise((resolve) => ask(resolve)) });
    const outcome = failure(client.tools.call("book", {}, { timeout: { total: 3_000 } }));
    const answer = await asked;
    await vi.advanceTimersByTimeAsync(2_000);
    answer({ action: "decline" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.line.paramsOf("tools/call")).toHaveLength(2);
    expect(await outcome).toMatchObject({ limit: "total", ms: 3_000 });
  });

  test("leaves the connection usable, and its late answer is dropped without a word", async () => {
    const problems: Error[] = [];
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
    expect(await failure(client.tools.call("slow", {}, { timeout: { total: 10 } }))).toBeInstanceOf(
      TimeoutError,
    );
    const { id } = await server.line.saw("tools/call");
    server.line.send({ id, result: text("too late") });
    await client.ping();
    expect(problems).toEqual([]);
  });
});
