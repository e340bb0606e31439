import { describe, expect, test } from "vitest";
import { HttpError, InvalidResponseError } from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import {
  type Answers,
  aloneScript,
  done,
  ScriptedHttp,
  sessionScript,
  type Visit,
} from "../../support/http/scripted-http.ts";
import { failure } from "../../support/open-client.ts";

/** A stream beside the requests that stays open. */
const openStream = (visit: Visit) => visit.stream();

describe("a session", () => {
  test.each(["2025-06-18", "2025-11-25"])("of %s names itself and the revision", async (version) => {
    const server = await ScriptedHttp.start(
      sessionScript(version, { GET: openStream, "tools/call": (visit) => visit.result(done) }),
    );
    const { client } = await openHttp(server);
    await client.tools.call("anything");
    await server.saw("GET");
    await client.close();
    await server.saw("DELETE");
    const { headers } = await server.saw("initialize");
    expect(headers["mcp-session-id"]).toBeUndefined();
    expect(headers["mcp-protocol-version"]).toBeUndefined();
    expect(headers.accept).toBe("application/json, text/event-stream");
    for (const what of ["notifications/initialized", "tools/call", "GET", "DELETE"]) {
      const visit = await server.saw(what);
      expect(visit.headers).toMatchObject({
        "mcp-session-id": "session-1",
        "mcp-protocol-version": version,
      });
      expect(visit.headers["mcp-method"]).toBeUndefined();
    }
    expect((await server.saw("GET")).headers.accept).toBe("text/event-stream");
  });

  test("of 2025-03-26 names itself only, and may be answered by a batch", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-03-26", {
        "tools/call": (visit) =>
          visit.json([
            { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } },
            { jsonrpc: "2.0", id: visit.body.id, result: done },
          ]),
      }),
    );
    const logged: unknown[] = [];
    const { client, problems } = await openHttp(server, { onLog: ({ data }) => logged.push(data) });
    expect(await client.tools.call("anything")).toEqual(done);
    const { headers } = await server.saw("tools/call");
    expect(headers["mcp-session-id"]).toBe("session-1");
    expect(headers["mcp-protocol-version"]).toBeUndefined();
    expect(logged).toEqual([1]);
    expect(problems).toEqual([]);
  });

  test.each([
    ["without an id", {}],
    ["with an empty id", { "mcp-session-id": "" }],
  ])("%s has none to name and none to end", async (_, headers) => {
    const greeting = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x" } };
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { initialize: (visit) => visit.result(greeting, headers) }),
    );
    const { client } = await openHttp(server);
    await client.ping();
    await client.close();
    expect((await server.saw("ping")).headers["mcp-session-id"]).toBeUndefined();
    expect(server.of("DELETE")).toEqual([]);
  });

  test.each([400, 404, 405, 406, 501])(
    "goes on without a stream when GET is refused by %i",
    async (status) => {
      const server = await ScriptedHttp.start(
        sessionScript("2025-11-25", { GET: (visit) => visit.send(status, "no") }),
      );
      const { client, problems } = await openHttp(server);
      await server.saw("GET");
      await client.ping();
      expect(problems).toEqual([]);
      expect(server.of("GET").length).toBe(1);
      expect(server.of("initialize").length).toBe(1);
    },
  );

  test("goes on without a stream when GET gives something else", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) => visit.send(200, "hello", { "content-type": "text/html" }),
      }),
    );
    const { client, problems } = await openHttp(server);
    await server.saw("GET");
    await client.ping();
    expect(problems).toEqual([]);
  });

  test("reports a stream that is refused for want of credentials", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", { GET: (visit) => visit.send(403) }));
    const problem = new Promise<Error>((resolve) => {
      void openHttp(server, { onProblem: resolve });
    });
    expect(await problem).toBeInstanceOf(HttpError);
  });

  test("ends within bounds when the server does not take note of it", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", { DELETE: () => {} }));
    const { client } = await openHttp(server, { http: { closeMs: 50 } });
    await client.close();
    await (await server.saw("DELETE")).gone;
  });

  test("ends its streams and calls when it is closed", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { GET: openStream, "tools/call": openStream }),
    );
    const { client } = await openHttp(server);
    const [stream] = await Promise.all([server.saw("GET")]);
    const call = failure(client.tools.call("anything"));
    const visit = await server.saw("tools/call");
    await client.close();
    expect(await call).toMatchObject({ code: "connection-closed" });
    await Promise.all([stream.gone, visit.gone]);
    expect(await client.closed).toMatchObject({ code: "connection-closed" });
  });
});

describe("what a server asks and tells", () => {
  const roots = { roots: ["file:///home"] } as const;
  const ask = { id: "ask-1", method: "roots/list", params: {} };

  test("on the stream of a call is answered by a POST, before the call is", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": async (visit) => {
          visit.stream().event(ask);
          const answer = await server.saw("answer");
          visit.finish({ content: [{ type: "text", text: JSON.stringify(answer.body.result) }] });
        },
      }),
    );
    const { client, problems } = await openHttp(server, roots);
    const { content } = await client.tools.call("anything");
    expect(content).toEqual([{ type: "text", text: '{"roots":[{"uri":"file:///home"}]}' }]);
    const { headers, body } = await server.saw("answer");
    expect(body.id).toBe("ask-1");
    expect(headers["mcp-session-id"]).toBe("session-1");
    expect(problems).toEqual([]);
  });

  test("on the stream beside is answered by a POST", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { GET: (visit) => visit.stream().event(ask) }),
    );
    await openHttp(server, roots);
    const { body } = await server.saw("answer");
    expect(body).toMatchObject({ id: "ask-1", result: { roots: [{ uri: "file:///home" }] } });
  });

  test("on several streams at once reaches those it is for", async () => {
    const calls: Visit[] = [];
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => {
          calls.push(visit.stream());
          if (calls.length < 3) return;
          // Answers come in another order than the calls did, one of them on the stream of another call.
          const [first, second, third] = calls as [Visit, Visit, Visit];
          const answerOf = ({ body }: Visit) => ({
            id: body.id,
            result: { content: [{ type: "text", text: body.params.name }] },
          });
          third.event(answerOf(first));
          third.event(answerOf(third)).end();
          second.event(answerOf(second)).end();
          first.end();
        },
      }),
    );
    const { client } = await openHttp(server);
    const results = await Promise.all(["a", "b", "c"].map((name) => client.tools.call(name)));
    expect(results.map(({ content }) => content[0])).toMatchObject([
      { text: "a" },
      { text: "b" },
      { text: "c" },
    ]);
  });

  test("is heard when it belongs to nothing", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) => visit.stream().event({ method: "notifications/tools/list_changed" }),
      }),
    );
    const heard = new Promise((resolve) => {
      void openHttp(server, { onNotification: resolve });
    });
    expect(await heard).toBe("notifications/tools/list_changed");
  });
});

describe("a call", () => {
  test("that is given up is cancelled by a notification, and its connection let go", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { "tools/call": (visit) => visit.stream() }),
    );
    const { client } = await openHttp(server);
    const controller = new AbortController();
    const call = failure(client.tools.call("anything", {}, { signal: controller.signal }));
    const visit = await server.saw("tools/call");
    controller.abort(new Error("enough"));
    expect(await call).toMatchObject({ code: "cancelled" });
    const { body } = await server.saw("notifications/cancelled");
    expect(body.params).toMatchObject({ requestId: visit.body.id });
    await visit.gone;
  });

  test("that is answered lets go of a stream that the server keeps open", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.stream().event({ id: visit.body.id, result: done }),
      }),
    );
    const { client } = await openHttp(server);
    await client.tools.call("anything");
    await (await server.saw("tools/call")).gone;
  });

  test.each<[string, (visit: Visit) => void]>([
    ["202", (visit) => visit.send(202)],
    ["a page", (visit) => visit.send(200, "<html>", { "content-type": "text/html" })],
    ["the answer to another", (visit) => visit.json({ jsonrpc: "2.0", id: "1", result: done })],
    ["a wrong version", (visit) => visit.json({ jsonrpc: "1.0", id: visit.body.id, result: done })],
  ])("that is answered with %s fails at once, and the next works", async (_, answer) => {
    const answers = [answer];
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => (answers.shift() ?? ((later) => later.result(done)))(visit),
      }),
    );
    const { client } = await openHttp(server);
    expect(await failure(client.tools.call("anything"))).toBeInstanceOf(InvalidResponseError);
    expect(await client.tools.call("anything")).toEqual(done);
  });

  test("that is refused with an error without an id gets that error", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.error(-32000, "Overloaded", { status: 503, id: null }),
      }),
    );
    const { client } = await openHttp(server);
    const error = await failure(client.tools.call("anything"));
    expect(error).toMatchObject({ code: "rpc", wireCode: -32000, message: "Overloaded" });
  });

  test("that is refused by status gets what the server says about trying again", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { "tools/call": (visit) => visit.send(429, "", { "retry-after": "7" }) }),
    );
    const { client } = await openHttp(server);
    const error = await failure(client.tools.call("anything", {}, { timeout: { total: 6_000 } }));
    expect(error).toMatchObject({ code: "http", status: 429, headers: { "retry-after": "7" } });
    expect(server.of("tools/call")).toHaveLength(1);
  });

  test.each<[string, (visit: Visit) => void]>([
    ["429", (visit) => visit.send(429, "", { "retry-after": "0" })],
    ["503 until a date", (visit) => visit.send(503, "", { "retry-after": new Date().toUTCString() })],
    [
      "503 and an error",
      (visit) =>
        visit.json(
          { jsonrpc: "2.0", id: visit.body.id, error: { code: 503, message: "Busy" } },
          { "retry-after": "0" },
          503,
        ),
    ],
  ])("that a busy server refuses by %s and wants again is sent again", async (_, refuse) => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => (server.of("tools/call").length < 3 ? refuse(visit) : visit.result(done)),
      }),
    );
    const { client, problems } = await openHttp(server);
    expect(await client.tools.call("anything")).toEqual(done);
    expect(server.of("tools/call")).toHaveLength(3);
    expect(problems).toEqual([]);
  });

  test("that a busy server wants again after hours is not waited for", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.send(503, "", { "retry-after": "7200" }),
      }),
    );
    const { client } = await openHttp(server, { timeout: { idle: Number.POSITIVE_INFINITY } });
    expect(await failure(client.tools.call("anything"))).toMatchObject({ code: "http", status: 503 });
  });

  test("that waits for a busy server ends with its signal", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { "tools/call": (visit) => visit.send(429, "", { "retry-after": "30" }) }),
    );
    const { client } = await openHttp(server);
    const stop = new AbortController();
    const call = failure(client.tools.call("anything", {}, { signal: stop.signal }));
    await server.saw("tools/call");
    stop.abort();
    expect(await call).toMatchObject({ code: "cancelled" });
  });

  test("is sent again when it is the first one, too", async () => {
    const script = sessionScript("2025-11-25", {});
    const server = await ScriptedHttp.start((visit) =>
      server.of("initialize").length === 1 ? visit.send(503, "", { "retry-after": "0" }) : script(visit),
    );
    const { client } = await openHttp(server, { revisions: ["2025-11-25"] });
    expect(client.server.revision).toBe("2025-11-25");
  });
});

describe("a notification that is refused", () => {
  const custom = "notifications/example.org/changed";
  const refuse = (status: number) => (visit: Visit) =>
    visit.error(-32602, "Not like this", { status, id: null, data: { at: "here" } });

  test("for now is sent again when the server wants it", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        [custom]: (visit) =>
          visit.send(server.of(custom).length === 1 ? 429 : 202, "", { "retry-after": "0" }),
      }),
    );
    const { client } = await openHttp(server);
    await client.notify(custom, {});
    expect(server.of(custom)).toHaveLength(2);
  });

  test.each([
    ["a session", sessionScript],
    ["2026-07-28", (_: string, answers: Answers) => aloneScript(answers)],
  ])("rejects with the error in the body (%s)", async (_, script) => {
    const server = await ScriptedHttp.start(script("2025-11-25", { [custom]: refuse(400) }));
    const { client } = await openHttp(server);
    const error = await failure(client.notify(custom, {}));
    expect(error).toMatchObject({
      code: "rpc",
      wireCode: -32602,
      message: "Not like this",
      data: { at: "here" },
      cause: { code: "http", status: 400 },
    });
  });

  test.each([401, 403])("by %i rejects with the status, whatever the body says", async (status) => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", { [custom]: refuse(status) }));
    const { client } = await openHttp(server);
    expect(await failure(client.notify(custom, {}))).toMatchObject({ code: "http", status });
  });
});
