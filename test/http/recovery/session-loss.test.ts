import { describe, expect, test } from "vitest";
import type { ConnectOptions } from "../../../src/client.ts";
import { ConnectionClosedError } from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import {
  type Answers,
  done,
  greeting,
  type Handler,
  ScriptedHttp,
  sessionScript,
  type Visit,
} from "../../support/http/scripted-http.ts";
import { hurry } from "../../support/hurry.ts";
import { failure } from "../../support/open-client.ts";

/** A server that forgets all sessions when told to. */
async function startForgetful(answers: Answers = {}, notFound?: Handler) {
  let current = 1;
  const script = sessionScript("2025-11-25", {
    "tools/call": (visit) => visit.result(done),
    "resources/subscribe": (visit) => visit.result({}),
    "logging/setLevel": (visit) => visit.result({}),
    GET: (visit) => visit.stream(),
    ...answers,
  });
  const refuse: Handler =
    notFound ?? ((visit) => visit.error(-32001, "Session not found", { status: 404, id: null }));
  const server = await ScriptedHttp.start((visit) => {
    const id = visit.headers["mcp-session-id"];
    if (visit.what === "initialize") current = server.of("initialize").length;
    return id === undefined || id === `session-${current}` ? script(visit) : refuse(visit);
  });
  return {
    server,
    forget: () => {
      current = -1;
    },
  };
}

async function openCounting(server: ScriptedHttp, options: ConnectOptions = {}) {
  let reconnections = 0;
  let wake = () => {};
  const reconnected = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const opened = await openHttp(server, {
    ...options,
    onReconnected: () => {
      reconnections++;
      wake();
    },
  });
  return { ...opened, reconnected, count: () => reconnections };
}

describe("a session that the server has forgotten", () => {
  test.each<[string, Handler | undefined]>([
    ["404", undefined],
    ["404 and nothing", (visit) => visit.send(404)],
    [
      "400 and words",
      (visit) => visit.error(-32000, "Bad Request: No valid session ID provided", { status: 400, id: null }),
    ],
    ["410 and words", (visit) => visit.send(410, "session has expired")],
    ["410 and nothing", (visit) => visit.send(410)],
    [
      "400 of a server that was not initialized",
      (visit) => visit.error(-32000, "Bad Request: Server not initialized", { status: 400, id: null }),
    ],
    ["an answer", (visit) => visit.error(-32001, "Session not found")],
    ["an answer with -32600", (visit) => visit.error(-32600, "Session not found or expired")],
    [
      "an answer of a server that was not initialized",
      (visit) => visit.error(-32600, "Server not initialized"),
    ],
  ])(
    "and says so by %s is opened again once, and the call sent again under a new id",
    async (_, notFound) => {
      const { server, forget } = await startForgetful({}, notFound);
      const { client, reconnected, problems } = await openCounting(server);
      await server.saw("GET");
      forget();
      expect(await client.tools.call("anything", { a: 1 })).toEqual(done);
      await reconnected;
      const [lost, repeated] = server.of("tools/call") as [Visit, Visit];
      expect(lost.headers["mcp-session-id"]).toBe("session-1");
      expect(repeated.headers["mcp-session-id"]).toBe("session-2");
      const _meta = { progressToken: repeated.body.id };
      expect(repeated.body.params).toEqual({ ...lost.body.params, _meta });
      expect(repeated.body.id).not.toBe(lost.body.id);
      expect(server.of("initialize").length).toBe(2);
      expect((await server.saw("initialize", 1)).headers["mcp-session-id"]).toBeUndefined();
      expect((await server.saw("notifications/initialized", 1)).headers["mcp-session-id"]).toBe("session-2");
      expect((await server.saw("GET", 1)).headers["mcp-session-id"]).toBe("session-2");
      expect(problems).toEqual([]);
    },
  );

  test("is opened again once for all calls that find it lost", async () => {
    const { server, forget } = await startForgetful();
    const { client, count } = await openCounting(server);
    forget();
    const calls = Array.from({ length: 20 }, (_, index) => client.tools.call("anything", { index }));
    expect(await Promise.all(calls)).toEqual(calls.map(() => done));
    expect(server.of("initialize").length).toBe(2);
    expect(count()).toBe(1);
  });

  test("is opened again even if nobody calls, when the stream beside the calls finds it lost", async () => {
    hurry();
    const { server, forget } = await startForgetful();
    const { reconnected } = await openCounting(server);
    const stream = await server.saw("GET");
    forget();
    stream.end();
    await reconnected;
    await server.saw("initialize", 1);
  });

  test("has its subscriptions and its log level renewed before the host is told", async () => {
    const { server, forget } = await startForgetful();
    const { client, reconnected } = await openCounting(server);
    await client.subscribe({ resources: ["file:///a", "file:///b"] });
    await client.setLogLevel("warning");
    forget();
    await client.ping();
    await reconnected;
    const renewed = server.visits.filter(({ headers }) => headers["mcp-session-id"] === "session-2");
    const uris = renewed
      .filter(({ what }) => what === "resources/subscribe")
      .map(({ body }) => body.params.uri);
    expect(uris).toEqual(["file:///a", "file:///b"]);
    const levels = renewed.filter(({ what }) => what === "logging/setLevel").map(({ body }) => body.params);
    expect(levels).toEqual([{ level: "warning" }]);
  });

  test("and that the server forgets again at once is not opened a third time for the same call", async () => {
    const { server } = await startForgetful();
    const { client } = await openCounting(server);
    server.become((visit) =>
      visit.what === "initialize"
        ? visit.result(greeting("2025-11-25"), { "mcp-session-id": "other" })
        : visit.body?.id === undefined
          ? visit.send(202)
          : visit.send(404),
    );
    const error = await failure(client.tools.call("anything"));
    expect(error).toMatchObject({ code: "call-lost", lost: "session", mayRetry: true });
    expect(server.of("tools/call").length).toBe(2);
  });

  test("and that can't be opened again fails the call, which was not carried out; the next may work", async () => {
    const { server, forget } = await startForgetful();
    const { client } = await openCounting(server);
    forget();
    const script = (visit: Visit) => (visit.what === "initialize" ? visit.send(500) : visit.send(404));
    server.become(script);
    expect(await failure(client.tools.call("anything"))).toMatchObject({ code: "http", status: 500 });
    server.become(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.result(done),
        GET: (visit) => visit.stream(),
      }),
    );
    expect(await client.tools.call("anything")).toEqual(done);
  });

  test("of a server that came back in another revision ends the connection", async () => {
    const { server, forget } = await startForgetful();
    const { client } = await openCounting(server);
    forget();
    server.become(
      sessionScript("2025-03-26", {
        "tools/call": (visit) =>
          visit.headers["mcp-session-id"] === "session-1" && server.of("initialize").length < 2
            ? visit.send(404)
            : visit.result(done),
      }),
    );
    expect(await failure(client.tools.call("anything"))).toBeInstanceOf(ConnectionClosedError);
    expect(await client.closed).toBeInstanceOf(ConnectionClosedError);
  });

  test("is not mistaken for a method that does not exist", async () => {
    const { server } = await startForgetful({
      "completion/complete": (visit) => visit.error(-32601, "Method not found", { status: 404 }),
    });
    const { client } = await openCounting(server);
    const error = await failure(client.complete({ type: "ref/prompt", name: "x" }, { name: "a", value: "" }));
    expect(error).toMatchObject({ code: "rpc", wireCode: -32601 });
    expect(server.of("initialize").length).toBe(1);
  });

  test("is not ended again when the client is closed", async () => {
    const { server, forget } = await startForgetful();
    const { client } = await openCounting(server);
    forget();
    server.become((visit) => visit.send(404));
    await failure(client.ping());
    await client.close();
    expect(server.of("DELETE")).toEqual([]);
  });
});

describe("a call that was under way when its connection was lost", () => {
  const tools = [
    { name: "write", inputSchema: { type: "object" } },
    { name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
    { name: "put", inputSchema: { type: "object" }, annotations: { idempotentHint: true } },
  ];

  /** Breaks the connection of the first call, and answers the second. */
  async function openBreaking({ lists = true } = {}) {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/list": (visit) => visit.result({ tools }),
        "tools/call": (visit) => (server.of("tools/call").length === 1 ? visit.cut() : visit.result(done)),
      }),
    );
    const { client } = await openHttp(server);
    if (lists) await client.tools.list().all();
    return { server, client };
  }

  test.each([
    ["write", 1],
    ["read", 2],
    ["missing", 1],
  ])("is judged by the list, which is read then if nobody has read it (%s)", async (name, calls) => {
    const { server, client } = await openBreaking({ lists: false });
    const outcome = await client.tools.call(name).catch((error: unknown) => error);
    if (calls === 2) expect(outcome).toEqual(done);
    else expect(outcome).toMatchObject({ code: "call-lost", mayRetry: false });
    expect(server.of("tools/call").length).toBe(calls);
    expect(server.of("tools/list").length).toBe(1);
  });

  test("is reported soon though nobody answers the question for the list", async () => {
    const { server, client } = await openBreaking({ lists: false });
    server.become(
      sessionScript("2025-11-25", { "tools/list": () => {}, "tools/call": (visit) => visit.cut() }),
    );
    expect(await failure(client.tools.call("read"))).toMatchObject({ code: "call-lost", mayRetry: false });
  });

  test("reads no list where the caller has said that it is not sent again", async () => {
    const { server, client } = await openBreaking({ lists: false });
    expect(await failure(client.tools.call("read", {}, { retry: false }))).toMatchObject({
      code: "call-lost",
    });
    expect(server.of("tools/list")).toEqual([]);
  });

  test("is not sent again when it may have been carried out, and says so; the next works", async () => {
    const { server, client } = await openBreaking();
    const error = await failure(client.tools.call("write"));
    expect(error).toMatchObject({ code: "call-lost", lost: "connection", mayRetry: false });
    expect(server.of("tools/call").length).toBe(1);
    expect(await client.tools.call("write")).toEqual(done);
  });

  test.each(["read", "put"])("is sent again when its tool says that it does no harm (%s)", async (name) => {
    const { server, client } = await openBreaking();
    expect(await client.tools.call(name)).toEqual(done);
    const [first, second] = server.of("tools/call") as [Visit, Visit];
    expect(second.body.id).not.toBe(first.body.id);
  });

  test("is sent again when the caller says that it may be", async () => {
    const { client } = await openBreaking();
    expect(await client.tools.call("write", {}, { retry: true })).toEqual(done);
  });

  test("is not sent again when the caller forbids it, whatever its tool says", async () => {
    const { server, client } = await openBreaking();
    const error = await failure(client.tools.call("put", {}, { retry: false }));
    expect(error).toMatchObject({ code: "call-lost", lost: "connection" });
    expect(server.of("tools/call").length).toBe(1);
  });

  test("is not sent again when the caller forbids it, even if its method only reads", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { "resources/read": (visit) => visit.cut() }),
    );
    const { client } = await openHttp(server);
    const error = await failure(client.request("resources/read", { uri: "a:b" }, { retry: false }));
    expect(error).toMatchObject({ code: "call-lost", lost: "connection" });
    expect(server.of("resources/read").length).toBe(1);
  });

  test("is sent again when it only reads", async () => {
    let isFirst = true;
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "resources/list": (visit) => {
          if (!isFirst) return visit.result({ resources: [] });
          isFirst = false;
          return visit.cut();
        },
      }),
    );
    const { client } = await openHttp(server);
    expect(await client.resources.list().all()).toEqual([]);
  });

  test("to a server that can't be reached is sent again, since it can't have been carried out", async () => {
    const { server, client } = await openBreaking();
    const { port } = server;
    await server.stop();
    await failure(client.ping());
    server.become(sessionScript("2025-11-25", { "tools/call": (visit) => visit.result(done) }));
    const call = client.tools.call("write");
    await server.listen(port);
    expect(await call).toEqual(done);
  });

  test("to a server that stays away fails within two seconds", async () => {
    const { server, client } = await openBreaking();
    await server.stop();
    await failure(client.ping());
    const startedAt = performance.now();
    expect(await failure(client.tools.call("write"))).toMatchObject({ code: "call-lost", mayRetry: true });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
