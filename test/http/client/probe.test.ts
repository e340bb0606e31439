import { describe, expect, test } from "vitest";
import type { ServerHint } from "../../../src/client/connect/known-servers.ts";
import { connect } from "../../../src/client.ts";
import {
  CallLostError,
  CapabilityError,
  HttpError,
  InvalidResponseError,
  RpcError,
} from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import { aloneScript, type Handler, ScriptedHttp, sessionScript } from "../../support/http/scripted-http.ts";
import { failure } from "../../support/open-client.ts";

const html = { "content-type": "text/html" };

describe("the probe", () => {
  test.each<[string, Handler]>([
    ["text that is no JSON", (visit) => visit.send(200, "{oops", { "content-type": "application/json" })],
    ["JSON that is no message", (visit) => visit.json({ ok: true })],
    ["a list of nothing", (visit) => visit.json([])],
    ["the answer to another request", (visit) => visit.json({ jsonrpc: "2.0", id: 77, result: {} })],
    ["its id as text", (visit) => visit.json({ jsonrpc: "2.0", id: String(visit.body.id), result: {} })],
    ["an error without an id", (visit) => visit.error(-32600, "?", { id: null })],
    ["400 and an error without an id", (visit) => visit.error(-32000, "?", { id: null, status: 400 })],
    [
      "400 and an error of another id",
      (visit) => visit.error(-32600, "?", { id: "server-error", status: 400 }),
    ],
    ["-32601", (visit) => visit.error(-32601, "Method not found")],
    ["404 and -32601", (visit) => visit.error(-32601, "Method not found", { status: 404 })],
    ["-32022 without versions", (visit) => visit.error(-32022, "Unsupported", { status: 400 })],
    ["an empty result", (visit) => visit.result({})],
    ["202", (visit) => visit.send(202)],
    ["200 and nothing", (visit) => visit.send(200)],
    ["204", (visit) => visit.send(204)],
    ["a page", (visit) => visit.send(200, "<html>hello</html>", html)],
    ["400 and nothing", (visit) => visit.send(400)],
    ["401", (visit) => visit.send(401, "", { "www-authenticate": "Bearer" })],
    ["403 and text", (visit) => visit.send(403, "No.")],
    ["404 and a page", (visit) => visit.send(404, "<html>no</html>", html)],
    ["405", (visit) => visit.send(405)],
    ["415", (visit) => visit.send(415)],
    ["500 and a stack", (visit) => visit.send(500, "Error: at x.js:1")],
    ["502", (visit) => visit.send(502)],
    ["a stream that ends at once", (visit) => visit.stream().end()],
    ["a stream of something else", (visit) => visit.stream().event("[DONE]").end()],
    ["a broken connection", (visit) => visit.cut()],
    ["a way to another origin", (visit) => visit.send(307, "", { location: "http://127.0.0.2:1/mcp" })],
    [
      "text that is not UTF-8",
      (visit) =>
        void visit
          .stream()
          .write(new Uint8Array([100, 0xff, 0xfe]))
          .end(),
    ],
  ])("a server that answers it with %s gets initialize", async (_, answer) => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", { "server/discover": answer }));
    const { client } = await openHttp(server);
    expect(client.server.revision).toBe("2025-11-25");
    expect(client.hint).toEqual({ revision: "2025-11-25", shape: "streamable" });
    expect(server.whats().slice(0, 3)).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
    ]);
  });

  test.each<[string, Handler]>([
    ["nothing at all", () => {}],
    ["headers and then nothing", (visit) => visit.stream()],
  ])("a server that answers it with %s gets initialize, and the probe is let go", async (_, answer) => {
    const server = await ScriptedHttp.start(sessionScript("2025-06-18", { "server/discover": answer }));
    const { client } = await openHttp(server, { probeTimeout: 50 });
    expect(client.server.revision).toBe("2025-06-18");
    await (await server.saw("server/discover")).gone;
  });

  test("a server that wants another revision is asked in that one", async () => {
    const supported = ["2026-07-28"];
    let isFirst = true;
    const script = aloneScript();
    const server = await ScriptedHttp.start((visit) => {
      if (!isFirst) return script(visit);
      isFirst = false;
      return visit.error(-32022, "Unsupported", { status: 400, data: { supported } });
    });
    const { client } = await openHttp(server);
    expect(client.server.revision).toBe("2026-07-28");
    expect(server.whats()).toEqual(["server/discover", "server/discover"]);
  });

  test("a server that wants a revision with a handshake gets one", async () => {
    const refuse: Handler = (visit) =>
      visit.error(-32022, "Unsupported", { status: 400, data: { supported: ["2025-06-18"] } });
    const server = await ScriptedHttp.start(sessionScript("2025-06-18", { "server/discover": refuse }));
    const { client } = await openHttp(server);
    expect(client.server.revision).toBe("2025-06-18");
    expect((await server.saw("initialize")).body.params.protocolVersion).toBe("2025-06-18");
  });

  test("a server that says what is wrong with the headers is not taken for an older one", async () => {
    const refuse: Handler = (visit) => visit.error(-32020, "Header mismatch", { status: 400 });
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", { "server/discover": refuse }));
    expect(await failure(openHttp(server))).toMatchObject({ code: "rpc", wireCode: -32020 });
    expect(server.whats()).toEqual(["server/discover"]);
  });

  test("a server that needs more of the client says so at once", async () => {
    const data = { requiredCapabilities: { sampling: {} } };
    const refuse: Handler = (visit) => visit.error(-32021, "Missing", { status: 400, data });
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", { "server/discover": refuse }));
    expect(await failure(openHttp(server))).toBeInstanceOf(CapabilityError);
  });

  test("a server that was down for the probe and has no handshake is asked again", async () => {
    const answers: Handler[] = [(visit) => visit.send(503)];
    const script = aloneScript();
    const server = await ScriptedHttp.start((visit) => (answers.shift() ?? script)(visit));
    const { client } = await openHttp(server);
    expect(client.server.revision).toBe("2026-07-28");
    expect(server.whats()).toEqual(["server/discover", "initialize", "server/discover"]);
  });
});

describe("what is refused", () => {
  test("credentials that are missing surface with what the server says of them", async () => {
    const challenge = 'Bearer resource_metadata="https://x.example/.well-known"';
    const server = await ScriptedHttp.start((visit) =>
      visit.json(
        { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Who are you?" } },
        { "www-authenticate": challenge },
        401,
      ),
    );
    const error = (await failure(openHttp(server))) as HttpError;
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: "http", status: 401, headers: { "www-authenticate": challenge } });
    expect(error.message).toContain("Who are you?");
    expect(server.whats()).toEqual(["server/discover", "initialize"]);
  });

  test("credentials that are missing surface where there is no handshake to fall back to", async () => {
    const server = await ScriptedHttp.start((visit) => visit.send(401, "", { "www-authenticate": "Bearer" }));
    const error = await failure(openHttp(server, { revisions: ["2026-07-28"] }));
    expect(error).toMatchObject({ code: "http", status: 401, headers: { "www-authenticate": "Bearer" } });
  });

  test("a server that can't be reached is not called closed", async () => {
    const server = await ScriptedHttp.start(() => {});
    const { url } = server;
    await server.stop();
    const error = await failure(openHttp(url));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error).toMatchObject({ lost: "connection", mayRetry: true });
  });

  test("messages name no query, which may hold secrets, and show no page", async () => {
    const server = await ScriptedHttp.start((visit) => visit.send(500, "<html>secret page</html>", html));
    const error = await failure(openHttp(`${server.url}?key=secret`));
    expect(error.message).toBe(`POST ${server.url} was answered with 500 Internal Server Error.`);
  });

  test("a refusal of initialize that is an answer is that answer", async () => {
    const server = await ScriptedHttp.start((visit) => visit.error(-32602, "No.", { status: 400 }));
    expect(await failure(openHttp(server))).toMatchObject({ code: "rpc", wireCode: -32602, message: "No." });
    expect(server.of("GET")).toEqual([]);
  });

  test("a refusal of initialize without an id is the answer if there is no stream to be had", async () => {
    const server = await ScriptedHttp.start((visit) =>
      visit.method === "GET" ? visit.send(405) : visit.error(-32000, "No.", { status: 400, id: null }),
    );
    expect(await failure(openHttp(server))).toBeInstanceOf(RpcError);
    expect(server.of("GET").length).toBe(1);
  });

  test("connecting can be given up, and nothing is left behind", async () => {
    const server = await ScriptedHttp.start(() => {});
    const controller = new AbortController();
    const opening = connect(server.url, { hints: new Map(), signal: controller.signal });
    const visit = await server.saw("server/discover");
    controller.abort(new Error("enough"));
    expect(await failure(opening)).toMatchObject({ code: "cancelled" });
    await visit.gone;
  });

  test("a session id that no header can carry is refused", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        initialize: (visit) => visit.result({ protocolVersion: "2025-11-25" }, { "mcp-session-id": "a b" }),
      }),
    );
    expect(await failure(openHttp(server))).toBeInstanceOf(InvalidResponseError);
  });
});

describe("the verdict", () => {
  test("saves the probe the next time", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25"));
    const verdicts = new Map<string, ServerHint>();
    await openHttp(server, { hints: verdicts });
    await openHttp(server, { hints: verdicts });
    expect(server.of("server/discover").length).toBe(1);
    expect(server.of("initialize").length).toBe(2);
    expect([...verdicts.values()]).toEqual([{ revision: "2025-11-25", shape: "streamable" }]);
  });

  test("is kept for the process by default, per address and for the same choice of revisions", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25"));
    for (const path of ["/mcp", "/mcp?other", "/two"]) {
      const client = await connect(`${server.origin}${path}`, { onProblem: () => {} });
      await client.close();
    }
    expect(server.of("server/discover").map(({ path }) => path)).toEqual(["/mcp", "/two"]);
    const fewer = await connect(server.url, { revisions: ["2026-07-28", "2025-11-25"] });
    await fewer.close();
    expect(server.of("server/discover").length).toBe(3);
  });

  test("may be handed over by the host", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-06-18"));
    const { client } = await openHttp(server);
    const verdict = JSON.parse(JSON.stringify(client.hint)) as ServerHint;
    await openHttp(server, { hint: verdict });
    expect(server.of("server/discover").length).toBe(1);
  });

  test("heals when the server has no handshake any more", async () => {
    const server = await ScriptedHttp.start(aloneScript());
    const verdicts = new Map<string, ServerHint>();
    const verdict = { revision: "2025-11-25", shape: "streamable" };
    const { client } = await openHttp(server, { hints: verdicts, hint: verdict });
    expect(client.server.revision).toBe("2026-07-28");
    expect([...verdicts.values()]).toEqual([{ revision: "2026-07-28", shape: "streamable" }]);
  });

  test("heals when the server has only a handshake", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-03-26"));
    const { client } = await openHttp(server, { hint: { revision: "2026-07-28" } });
    expect(client.hint).toEqual({ revision: "2025-03-26", shape: "streamable" });
  });

  test("heals when the server has given up its stream", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25"));
    const { client } = await openHttp(server, { hint: { revision: "2024-11-05", shape: "sse" } });
    expect(client.hint).toEqual({ revision: "2025-11-25", shape: "streamable" });
  });

  test("is forgotten when it did not lead anywhere", async () => {
    const server = await ScriptedHttp.start((visit) => visit.send(500));
    const verdicts = new Map<string, ServerHint>();
    const key = `${server.url} 2025-11-25`;
    verdicts.set(key, { revision: "2025-11-25" });
    await failure(openHttp(server, { hints: verdicts, revisions: ["2025-11-25"] }));
    expect(verdicts.size).toBe(0);
  });
});
