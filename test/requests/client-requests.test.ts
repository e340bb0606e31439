import { describe, expect, test } from "vitest";
import {
  CapabilityError,
  InvalidResponseError,
  NotInRevisionError,
  RpcError,
  UsageError,
} from "../../src/errors.ts";
import { failure, openClient, settle } from "../support/open-client.ts";
import { discoverServer, handshakeServer, silence } from "../support/scripted-server.ts";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("what goes out", () => {
  test("each request says who speaks, where there was no handshake", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    await client.tools.call("greet", { name: "Ada" }, { meta: { traceparent: "00-1" } });
    const [discovered] = server.line.paramsOf("server/discover");
    const { id, params } = await server.line.saw("tools/call");
    expect(params).toEqual({
      name: "greet",
      arguments: { name: "Ada" },
      _meta: { traceparent: "00-1", ...discovered._meta, progressToken: id },
    });
  });

  test("the caller's metadata can't replace who speaks", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    const versionKey = "io.modelcontextprotocol/protocolVersion";
    await client.tools.call("greet", {}, { meta: { [versionKey]: "1999-01-01" } });
    expect(server.line.paramsOf("tools/call")[0]._meta[versionKey]).toBe("2026-07-28");
  });

  test("nothing but the token of its progress is added after a handshake", async () => {
    const server = handshakeServer("2025-11-25", { script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    await client.tools.call("greet");
    const { id } = await server.line.saw("tools/call");
    await client.tools.call("greet", {}, { timeout: { idle: Number.POSITIVE_INFINITY } });
    const plain = { name: "greet", arguments: {} };
    expect(server.line.paramsOf("tools/call")).toEqual([{ ...plain, _meta: { progressToken: id } }, plain]);
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
    expect(problems).toMatchObject([
      { code: "handler", message: "A listener failed: tap" },
      { code: "handler" },
    ]);
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
    server.line.send({ id, result: text("right") });
    expect(await call).toMatchObject(text("right"));
    expect(problems.length).toBe(3);
  });

  test.each([
    ["no result", { jsonrpc: "2.0", result: "text" }],
    ["of another version", { jsonrpc: "1.0", result: text("wrong version") }],
  ])("an answer that is %s fails its own request only", async (_, answer) => {
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const call = failure(client.tools.call("x"));
    const { id } = await server.line.saw("tools/call");
    server.line.send(JSON.stringify({ ...answer, id }));
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
  expect(problems).toMatchObject([{ code: "handler", message: "A listener failed: listener" }]);
});

describe("a server that sends a request where it may not", () => {
  test.each(["ping", "elicitation/create", "roots/list"])(
    "gets no response to %s, and the host a report",
    async (method) => {
      const problems: string[] = [];
      const server = discoverServer({ script: { "tools/call": () => text("done") } });
      const client = await openClient(server, {
        roots: ["file:///home"],
        elicit: () => ({ action: "decline" }),
        onProblem: ({ message }) => problems.push(message),
      });
      server.line.send({ id: "q", method, params: {} });
      await client.tools.call("t");
      expect(server.line.received.filter((message) => message.method === undefined)).toEqual([]);
      expect(problems).toEqual([expect.stringContaining(`The server sent the request ${method}`)]);
    },
  );
});
