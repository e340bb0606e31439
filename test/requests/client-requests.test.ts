import { afterEach, describe, expect, test, vi } from "vitest";
import type { ClientCall, Progress } from "../../src/client.ts";
import {
  CapabilityError,
  ConnectionClosedError,
  InvalidResponseError,
  NotInRevisionError,
  RpcError,
  TimeoutError,
  UsageError,
} from "../../src/errors.ts";
import { failure, openClient, settle } from "../support/open-client.ts";
import { discoverServer, handshakeServer, silence } from "../support/scripted-server.ts";

const logLevelKey = "io.modelcontextprotocol/logLevel";
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

afterEach(() => {
  vi.useRealTimers();
});

describe("what goes out", () => {
  test("each request says who speaks, where there was no handshake", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    await client.tools.call("greet", { name: "Ada" }, { meta: { traceparent: "00-1" } });
    const [discovered] = server.line.paramsOf("server/discover");
    expect(server.line.paramsOf("tools/call")).toEqual([
      {
        name: "greet",
        arguments: { name: "Ada" },
        _meta: { traceparent: "00-1", ...discovered._meta },
      },
    ]);
  });

  test("the caller's metadata can't replace who speaks", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    const versionKey = "io.modelcontextprotocol/protocolVersion";
    await client.tools.call("greet", {}, { meta: { [versionKey]: "1999-01-01" } });
    expect(server.line.paramsOf("tools/call")[0]._meta[versionKey]).toBe("2026-07-28");
  });

  test("nothing is added after a handshake", async () => {
    const server = handshakeServer("2025-11-25", { script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    await client.tools.call("greet");
    expect(server.line.paramsOf("tools/call")).toEqual([{ name: "greet", arguments: {} }]);
  });

  test("what a revision does not know is left out", async () => {
    const server = handshakeServer("2025-03-26", {
      script: { "completion/complete": () => ({ completion: { values: ["a", 1], total: 2 } }) },
    });
    const client = await openClient(server);
    const completion = await client.complete(
      { type: "ref/prompt", name: "review" },
      { name: "language", value: "p" },
      { arguments: { framework: "x" } },
    );
    expect(completion).toEqual({ values: ["a"], total: 2 });
    expect(server.line.paramsOf("completion/complete")).toEqual([
      { ref: { type: "ref/prompt", name: "review" }, argument: { name: "language", value: "p" } },
    ]);
  });

  test("a completion without values is refused", async () => {
    const client = await openClient(discoverServer({ script: { "completion/complete": () => ({}) } }));
    const ref = { type: "ref/resource", uri: "file:///{name}" } as const;
    expect(await failure(client.complete(ref, { name: "name", value: "" }))).toBeInstanceOf(
      InvalidResponseError,
    );
  });

  test("onMessage sees every message, both ways, parsed", async () => {
    const seen: unknown[] = [];
    const server = handshakeServer("2025-11-25");
    const client = await openClient(server, {
      revisions: ["2025-11-25"],
      onMessage: (message, direction) => seen.push([direction, message]),
    });
    await client.ping();
    expect(seen).toEqual([
      ["sent", server.line.received[0]],
      ["received", expect.objectContaining({ id: 1, result: expect.anything() })],
      ["sent", { jsonrpc: "2.0", method: "notifications/initialized", params: {} }],
      ["sent", { jsonrpc: "2.0", id: 2, method: "ping", params: {} }],
      ["received", { jsonrpc: "2.0", id: 2, result: {} }],
    ]);
  });

  test("a tap that throws is reported and changes nothing", async () => {
    const problems: Error[] = [];
    const client = await openClient(discoverServer(), {
      onMessage: () => {
        throw new Error("tap");
      },
      onProblem: (problem) => problems.push(problem),
    });
    expect(client.server.revision).toBe("2026-07-28");
    expect(problems.map(({ message }) => message)).toEqual(["tap", "tap"]);
  });

  test("a ping is a question for the server's description where there is no ping", async () => {
    const server = discoverServer();
    const client = await openClient(server);
    await client.ping();
    expect(server.line.methods()).toEqual(["server/discover", "server/discover"]);
  });

  test("any request and notification can be sent, also those that no revision has", async () => {
    const server = discoverServer({ script: { "acme/count": ({ from }) => ({ next: from + 1 }) } });
    const client = await openClient(server);
    expect(await client.request("acme/count", { from: 1 })).toMatchObject({ next: 2 });
    await client.notify("notifications/acme", { seen: true });
    expect(await server.line.saw("notifications/acme")).toMatchObject({ params: { seen: true } });
  });
});

describe("the log level", () => {
  test("is set for the session where there is one", async () => {
    const server = handshakeServer("2025-06-18", { script: { "logging/setLevel": () => ({}) } });
    const client = await openClient(server);
    await client.setLogLevel("warning");
    expect(server.line.paramsOf("logging/setLevel")).toEqual([{ level: "warning" }]);
  });

  test("goes with each later request where there is none", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    await client.tools.call("a");
    await client.setLogLevel("debug");
    await client.tools.call("b");
    const levels = server.line.paramsOf("tools/call").map((params) => params._meta[logLevelKey]);
    expect(levels).toEqual([undefined, "debug"]);
  });

  test.each(["2025-11-25", "2026-07-28"] as const)("needs a server of %s that logs", async (revision) => {
    const offer = { capabilities: { tools: {} } };
    const server = revision === "2026-07-28" ? discoverServer(offer) : handshakeServer(revision, offer);
    const client = await openClient(server);
    const before = server.line.received.length;
    expect(await failure(client.setLogLevel("debug"))).toMatchObject({ capability: "logging" });
    expect(server.line.received.length).toBe(before);
  });
});

describe("what can't work is not sent", () => {
  test.each<[string, (client: Awaited<ReturnType<typeof openClient>>) => Promise<unknown>]>([
    ["tools", (client) => client.tools.list().all()],
    ["tools", (client) => client.tools.call("x")],
    ["resources", (client) => client.resources.list().all()],
    ["resources", (client) => client.resources.templates().all()],
    ["resources", (client) => client.resources.read("file:///x")],
    ["prompts", (client) => client.prompts.list().all()],
    ["prompts", (client) => client.prompts.get("x")],
    ["completions", (client) => client.complete({ type: "ref/prompt", name: "x" }, { name: "y", value: "" })],
    ["tools", (client) => client.request("tools/call", { name: "x" })],
    ["tools.listChanged", (client) => client.subscribe({ tools: true })],
    ["resources.subscribe", (client) => client.subscribe({ resources: ["file:///x"] })],
  ])("a server without %s is not asked for it", async (capability, use) => {
    for (const server of [
      discoverServer({ capabilities: {} }),
      handshakeServer("2025-11-25", { capabilities: {} }),
    ]) {
      const client = await openClient(server);
      const before = server.line.received.length;
      const error = await failure(use(client));
      expect(error).toBeInstanceOf(CapabilityError);
      expect(error).toMatchObject({ capability, lackedBy: "server" });
      await settle();
      expect(server.line.received.length).toBe(before);
    }
  });

  test("a method of another revision is a typed error", async () => {
    const server = discoverServer();
    const client = await openClient(server);
    for (const method of ["ping", "logging/setLevel", "resources/subscribe", "initialize"]) {
      expect(await failure(client.request(method))).toBeInstanceOf(NotInRevisionError);
    }
    expect(await failure(client.notify("notifications/initialized"))).toBeInstanceOf(NotInRevisionError);
    expect(server.line.methods()).toEqual(["server/discover"]);
  });

  test("a question that only servers ask is a mistake of the caller", async () => {
    const client = await openClient(handshakeServer("2025-11-25"));
    expect(await failure(client.request("roots/list"))).toBeInstanceOf(UsageError);
  });

  test("completion needs no capability in the first revision", async () => {
    const server = handshakeServer("2024-11-05", {
      capabilities: {},
      script: { "completion/complete": () => ({ completion: { values: [], hasMore: false } }) },
    });
    const client = await openClient(server);
    const ref = { type: "ref/prompt", name: "x" } as const;
    expect(await client.complete(ref, { name: "y", value: "" })).toEqual({ values: [], hasMore: false });
  });
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

describe("a call that is cancelled", () => {
  test("rejects at once and tells the server why", async () => {
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const abort = new AbortController();
    const outcome = failure(client.tools.call("slow", {}, { signal: abort.signal }));
    const { id } = await server.line.saw("tools/call");
    abort.abort("no longer needed");
    expect(await outcome).toMatchObject({ code: "cancelled" });
    const { params } = await server.line.saw("notifications/cancelled");
    expect(params).toEqual({ requestId: id, reason: expect.stringContaining("no longer needed") });
  });

  test("before it was sent is never sent", async () => {
    const server = discoverServer();
    const client = await openClient(server);
    const error = await failure(client.tools.call("x", {}, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "cancelled" });
    expect(server.line.methods()).toEqual(["server/discover"]);
  });
});

describe("the end of a connection", () => {
  test("rejects what is still waiting, and what comes after", async () => {
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const waiting = failure(client.tools.call("slow"));
    await server.line.saw("tools/call");
    await server.line.close();
    expect(await waiting).toBeInstanceOf(ConnectionClosedError);
    expect(await client.closed).toBeInstanceOf(ConnectionClosedError);
    expect(await failure(client.tools.call("again"))).toBeInstanceOf(ConnectionClosedError);
  });

  test("is closed by close, which may be called twice, and by `await using`", async () => {
    const server = discoverServer();
    const client = await openClient(server);
    await client.close();
    await client.close();
    await server.line.closed;
    await client.closed;
    await client[Symbol.asyncDispose]();
  });
});

describe("answers that are none", () => {
  test("an error of the server is an RpcError with its code and data", async () => {
    const server = discoverServer({
      script: {
        "tools/call": () => {
          throw new RpcError(-32602, "Unknown tool", { name: "x" });
        },
      },
    });
    const client = await openClient(server);
    expect(await failure(client.tools.call("x"))).toMatchObject({
      code: "rpc",
      wireCode: -32602,
      message: "Unknown tool",
      data: { name: "x" },
    });
  });

  test.each(["task", 7, "INPUT_REQUIRED"])("the result type %j is refused", async (resultType) => {
    const server = discoverServer({ script: { "tools/call": () => ({ resultType, content: [] }) } });
    const client = await openClient(server);
    expect(await failure(client.tools.call("x"))).toBeInstanceOf(InvalidResponseError);
  });

  test("a list that asks for input is refused", async () => {
    const server = discoverServer({
      script: { "tools/list": () => ({ resultType: "input_required", requestState: "s", tools: [] }) },
    });
    const client = await openClient(server);
    expect(await failure(client.tools.list().all())).toBeInstanceOf(InvalidResponseError);
  });

  test("a result type means nothing where the revision has none", async () => {
    const server = handshakeServer("2025-06-18", {
      script: { "tools/call": () => ({ resultType: "whatever", content: [] }) },
    });
    const client = await openClient(server);
    expect(await client.tools.call("x")).toMatchObject({ content: [] });
  });

  test("answers to questions never asked are ignored and reported", async () => {
    const problems: string[] = [];
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server, { onProblem: ({ message }) => problems.push(message) });
    const call = client.tools.call("x");
    const { id } = await server.line.saw("tools/call");
    server.line.send({ id: String(id), result: text("wrong id type") });
    server.line.send({ id: 999, result: text("unknown id") });
    server.line.send("{ not json");
    server.line.send(JSON.stringify({ jsonrpc: "1.0", id, result: text("wrong version") }));
    server.line.send({ id, result: text("right") });
    expect(await call).toMatchObject(text("right"));
    expect(problems.length).toBe(4);
  });

  test("an answer that is no result fails its own request only", async () => {
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const call = failure(client.tools.call("x"));
    const { id } = await server.line.saw("tools/call");
    server.line.send({ id, result: "text" });
    expect(await call).toBeInstanceOf(InvalidResponseError);
    await client.ping();
  });

  test("batches are read only where the revision has them", async () => {
    for (const [version, understood] of [
      ["2025-03-26", true],
      ["2025-06-18", false],
    ] as const) {
      const problems: Error[] = [];
      const seen: string[] = [];
      const server = handshakeServer(version, { script: { "tools/call": () => silence } });
      const client = await openClient(server, {
        onProblem: (problem) => problems.push(problem),
        onNotification: (method) => seen.push(method),
      });
      const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
      server.line.send(JSON.stringify([notice, notice]));
      await client.ping();
      expect(seen.length).toBe(understood ? 2 : 0);
      expect(problems.length).toBe(understood ? 0 : 1);
    }
  });
});

describe("middleware", () => {
  test("stands around every request, the first one outermost", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("inner") } });
    const client = await openClient(server);
    const order: string[] = [];
    const around = (name: string) => async (call: ClientCall, next: () => Promise<object>) => {
      order.push(`${name} before ${call.method}`);
      const result = await next();
      order.push(`${name} after`);
      return { ...result };
    };
    client.use(around("outer")).use(around("inner"));
    await client.tools.call("x");
    expect(order).toEqual([
      "outer before tools/call",
      "inner before tools/call",
      "inner after",
      "outer after",
    ]);
  });

  test("may change what is sent and what comes back, answer itself, and refuse", async () => {
    const server = discoverServer({ script: { "tools/call": ({ name }) => text(name) } });
    const client = await openClient(server);
    client.use(async (call, next) => {
      if (call.params.name === "secret") throw new Error("Not that one.");
      if (call.params.name === "known") return text("from memory");
      const result = await next({ ...call, params: { ...call.params, name: "changed" } });
      return { ...result, _meta: { seen: true } };
    });
    expect(await client.tools.call("any")).toMatchObject({ ...text("changed"), _meta: { seen: true } });
    expect(await client.tools.call("known")).toEqual(text("from memory"));
    expect(await failure(client.tools.call("secret"))).toMatchObject({ message: "Not that one." });
    expect(server.line.paramsOf("tools/call").length).toBe(1);
  });

  test("may try again, which is a new request", async () => {
    let calls = 0;
    const server = discoverServer({
      script: {
        "tools/call": () => {
          if (calls++ === 0) throw new RpcError(-32603, "Try later");
          return text("second");
        },
      },
    });
    const client = await openClient(server);
    client.use((_call, next) => next().catch(() => next()));
    expect(await client.tools.call("x")).toMatchObject(text("second"));
    const ids = server.line.received.filter(({ method }) => method === "tools/call").map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });
});

test("a listener that throws on progress is reported and the call goes on", async () => {
  const problems: Error[] = [];
  const server = discoverServer({
    script: {
      "tools/call": ({ _meta }, line) => {
        line.notify("notifications/progress", { progressToken: _meta.progressToken, progress: 1 });
        return text("done");
      },
    },
  });
  const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
  const onProgress = () => {
    throw new Error("listener");
  };
  expect(await client.tools.call("x", {}, { onProgress })).toMatchObject(text("done"));
  expect(problems.map(({ message }) => message)).toEqual(["listener"]);
});
