import { describe, expect, test } from "vitest";
import { InvalidResponseError } from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import { type Answers, done, greeting, ScriptedHttp, type Visit } from "../../support/http/scripted-http.ts";
import { hurry } from "../../support/hurry.ts";
import { failure } from "../../support/open-client.ts";

/** A server of the oldest kind: its stream is at the URL, and messages go elsewhere. */
async function startOldest(answers: Answers = {}, endpoint = "/messages?session=1", refusal = 405) {
  let stream: Visit | undefined;
  const server = await ScriptedHttp.start((visit) => {
    if (visit.path === "/mcp") {
      if (visit.method !== "GET") return visit.send(refusal);
      stream = visit.stream().event(endpoint, { event: "endpoint" });
      return;
    }
    const answer = answers[visit.what];
    if (answer) return answer(visit);
    visit.send(202, "Accepted");
    const { id } = visit.body;
    if (visit.what === "initialize")
      stream?.event({ id, result: greeting("2024-11-05") }, { event: "message" });
    else if (visit.what === "ping") stream?.event({ id, result: {} }, { event: "message" });
    else if (visit.what === "tools/call") stream?.event({ id, result: done });
  });
  return { server, stream: () => stream as Visit };
}

describe("a server of the oldest kind", () => {
  test.each([400, 404, 405])("is found when the endpoint refuses with %i", async (status) => {
    const { server } = await startOldest({}, undefined, status);
    const { client, problems } = await openHttp(server);
    expect(client.hint).toEqual({ revision: "2024-11-05", shape: "sse" });
    expect(await client.tools.call("anything")).toEqual(done);
    expect(server.visits.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /mcp",
      "POST /mcp",
      "GET /mcp",
      ...Array(3).fill("POST /messages?session=1"),
    ]);
    const { headers } = await server.saw("tools/call");
    expect(headers["mcp-session-id"]).toBeUndefined();
    expect(headers["mcp-protocol-version"]).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test.each([401, 403, 500, 503])("that refuses its stream with %i is reported with that", async (status) => {
    const server = await ScriptedHttp.start((visit) => visit.send(visit.method === "GET" ? status : 405));
    expect(await failure(openHttp(server, { timeout: { total: 500 } }))).toMatchObject({
      code: "http",
      status,
      message: expect.stringContaining("GET "),
    });
  });

  test.each([404, 405])(
    "that has no stream either (%i) is reported with what it said first",
    async (status) => {
      const server = await ScriptedHttp.start((visit) => visit.send(visit.method === "GET" ? status : 400));
      expect(await failure(openHttp(server))).toMatchObject({ code: "http", status: 400 });
    },
  );

  test("that breaks the connection instead of a stream is reported with that", async () => {
    const server = await ScriptedHttp.start((visit) =>
      visit.method === "GET" ? visit.cut() : visit.send(405),
    );
    expect(await failure(openHttp(server))).toMatchObject({ code: "call-lost" });
  });

  test("is spoken to in its way at once when that is known", async () => {
    const { server } = await startOldest();
    const { client } = await openHttp(server, { hint: { revision: "2024-11-05", shape: "sse" } });
    await client.ping();
    expect(server.visits[0]?.method).toBe("GET");
  });

  test("may name its endpoint whole, as long as it is in the same origin", async () => {
    const { server } = await startOldest({}, "messages/here");
    const { client } = await openHttp(server);
    expect((await server.saw("initialize", 1)).path).toBe("/messages/here");
    await client.close();
    const whole = await ScriptedHttp.start((visit) => {
      if (visit.path !== "/mcp") return visit.send(500);
      return visit.method === "GET"
        ? visit.stream().event(`${whole.origin}/whole`, { event: "endpoint" })
        : visit.send(404);
    });
    expect(await failure(openHttp(whole))).toMatchObject({ code: "http", status: 500 });
    expect((await whole.saw("initialize", 1)).path).toBe("/whole");
  });

  test.each([
    "http://127.0.0.2/messages",
    "//evil.invalid/messages",
    "https://127.0.0.1/x",
    "javascript:1",
    "http://[",
  ])("that wants messages at %s is refused", async (endpoint) => {
    const { server } = await startOldest({}, endpoint);
    expect(await failure(openHttp(server))).toBeInstanceOf(InvalidResponseError);
    expect(server.visits.length).toBe(3);
  });

  test("asks and tells over its stream, and is answered by POST", async () => {
    const { server, stream } = await startOldest();
    const heard = new Promise((resolve) => {
      void openHttp(server, { roots: ["file:///home"], onNotification: resolve });
    });
    await server.saw("notifications/initialized");
    stream().event({ id: 7, method: "roots/list" }).event({ method: "notifications/tools/list_changed" });
    expect((await server.saw("answer")).body).toMatchObject({
      id: 7,
      result: { roots: [{ uri: "file:///home" }] },
    });
    expect(await heard).toBe("notifications/tools/list_changed");
  });

  test("hears of a call that is given up", async () => {
    const { server } = await startOldest({ "tools/call": (visit) => visit.send(202) });
    const { client } = await openHttp(server);
    const error = await failure(client.tools.call("anything", {}, { timeout: { idle: 30 } }));
    expect(error).toMatchObject({ code: "timeout" });
    const call = await server.saw("tools/call");
    const { body } = await server.saw("notifications/cancelled");
    expect(body.params.requestId).toBe(call.body.id);
  });

  test("whose stream is lost loses its calls at once, and is opened again", async () => {
    const { server, stream } = await startOldest({ "tools/call": (visit) => visit.send(202) });
    const { client } = await openHttp(server);
    const reconnected = new Promise<void>((resolve) => {
      client.onReconnected(resolve);
    });
    const call = failure(client.tools.call("anything"));
    await server.saw("tools/call");
    stream().cut();
    expect(await call).toMatchObject({ code: "call-lost", lost: "session", mayRetry: false });
    await reconnected;
    await client.ping();
    expect(server.of("GET").length).toBe(2);
  });

  test("that does not know the session any more is opened again, and the call sent again", async () => {
    let isLost = false;
    const { server } = await startOldest({
      "tools/call": (visit) => {
        if (isLost) return visit.send(404, "No such session");
        visit.send(202);
        return undefined;
      },
    });
    const { client } = await openHttp(server);
    isLost = true;
    const call = failure(client.tools.call("anything"));
    await server.saw("initialize", 3);
    expect(await call).toMatchObject({ code: "call-lost", mayRetry: true });
    expect(server.of("tools/call").length).toBe(2);
  });

  test("that refuses a message says so to whoever sent it", async () => {
    const { server } = await startOldest({ "tools/call": (visit) => visit.send(500, "broken") });
    const { client } = await openHttp(server);
    expect(await failure(client.tools.call("anything"))).toMatchObject({ code: "http", status: 500 });
  });

  test("lets go of its stream when the client is closed", async () => {
    const { server, stream } = await startOldest();
    const { client } = await openHttp(server);
    await client.close();
    await stream().gone;
    expect(server.of("DELETE")).toEqual([]);
  });

  test("is not waited for when its stream never says where to post", async () => {
    hurry();
    const server = await ScriptedHttp.start((visit) =>
      visit.method === "GET" ? visit.stream() : visit.send(405, "POST is not for here"),
    );
    const error = await failure(openHttp(server));
    expect(error).toMatchObject({ code: "http", status: 405 });
    await (await server.saw("GET")).gone;
  });
});

test("a notification that is refused rejects with the error in the body", async () => {
  const custom = "notifications/example.org/changed";
  const { server } = await startOldest({
    [custom]: (visit) => visit.error(-32602, "Not like this", { status: 400, id: null }),
  });
  const { client } = await openHttp(server);
  const error = await failure(client.notify(custom, {}));
  expect(error).toMatchObject({ code: "rpc", wireCode: -32602, message: "Not like this" });
});
