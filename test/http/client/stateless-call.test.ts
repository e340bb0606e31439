import { describe, expect, test } from "vitest";
import { CallLostError, InvalidResponseError, NotInRevisionError } from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import {
  type Answers,
  aloneScript,
  done,
  ScriptedHttp,
  type Visit,
} from "../../support/http/scripted-http.ts";
import { hurry } from "../../support/hurry.ts";
import { failure } from "../../support/open-client.ts";
import { allowViolations } from "../../support/wire-schema/wire-check.ts";

const list = (tools: readonly object[]) => ({
  resultType: "complete",
  tools,
  ttlMs: 0,
  cacheScope: "public",
});

function toolWith(properties: object, name = "query") {
  return { name, inputSchema: { type: "object", properties } };
}

async function openAlone(answers: Answers = {}, options: Parameters<typeof openHttp>[1] = {}) {
  const server = await ScriptedHttp.start(
    aloneScript({ "tools/call": (visit) => visit.result(done), ...answers }),
  );
  return { server, ...(await openHttp(server, options)) };
}

const regional = toolWith({
  region: { type: "string", "x-mcp-header": "Region" },
  limit: { type: "integer", "x-mcp-header": "Limit" },
  dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
  deep: { type: "object", properties: { tenant: { type: "string", "x-mcp-header": "Tenant" } } },
  secret: { type: "string" },
});

describe("requests that stand for themselves", () => {
  test("repeat in headers what they are and what they are about", async () => {
    const { server, client } = await openAlone({
      "resources/read": (visit) => visit.result({ contents: [] }),
      "prompts/get": (visit) => visit.result({ messages: [] }),
    });
    await client.tools.call("größer");
    await client.resources.read("file:///a b");
    allowViolations("a URI with a space shows how it stands in a header", /"uri":"file:\/\/\/a b"/);
    await client.prompts.get(" padded ");
    const names = Object.fromEntries(
      server.visits.map(({ what, headers }) => [what, [headers["mcp-method"], headers["mcp-name"]]]),
    );
    expect(names).toEqual({
      "server/discover": ["server/discover", undefined],
      "tools/list": ["tools/list", undefined],
      "tools/call": ["tools/call", "=?base64?Z3LDtsOfZXI=?="],
      "resources/read": ["resources/read", "file:///a b"],
      "prompts/get": ["prompts/get", "=?base64?IHBhZGRlZCA=?="],
    });
    for (const { headers } of server.visits) {
      expect(headers["mcp-protocol-version"]).toBe("2026-07-28");
      expect(headers["mcp-session-id"]).toBeUndefined();
      expect(headers.accept).toBe("application/json, text/event-stream");
    }
  });

  test.each([
    [-32000, { callLost: true, retryable: true }],
    [-32603, { callLost: true }],
    [-32603, { callLost: "yes", retryable: true }],
  ])("that fail with %s and %o are not lost", async (code, data) => {
    const { client, server } = await openAlone({
      "tools/call": (visit) =>
        visit.json({ jsonrpc: "2.0", id: visit.body.id, error: { code, message: "no", data } }),
    });
    const error = await failure(client.tools.call("query"));
    expect(error).toMatchObject({ code: "rpc", wireCode: code, data });
    expect(server.whats().filter((what) => what === "tools/call")).toHaveLength(1);
  });

  test("need no session: nothing but POST is sent, also at the end", async () => {
    const { server, client } = await openAlone();
    await client.ping();
    await client.close();
    expect(new Set(server.visits.map(({ method }) => method))).toEqual(new Set(["POST"]));
  });

  test("are cancelled by letting go of the connection", async () => {
    const { server, client } = await openAlone({ "tools/call": (visit) => visit.stream() });
    const controller = new AbortController();
    const call = failure(client.tools.call("anything", {}, { signal: controller.signal }));
    const visit = await server.saw("tools/call");
    controller.abort();
    expect(await call).toMatchObject({ code: "cancelled" });
    await visit.gone;
    await client.ping();
    expect(server.whats()).not.toContain("notifications/cancelled");
  });

  test("are cancelled in the same way when they take too long", async () => {
    const { server, client } = await openAlone({ "tools/call": () => {} });
    const error = await failure(client.tools.call("anything", {}, { timeout: { idle: 30 } }));
    expect(error).toMatchObject({ code: "timeout" });
    await (await server.saw("tools/call")).gone;
  });

  test("carry the headers that a middleware adds, which replace none of the transport", async () => {
    const { server, client } = await openAlone();
    const added = { "x-trace": "abc", "mcp-method": "tools/list", "mcp-protocol-version": "1999-01-01" };
    client.use((call, next) => next({ ...call, headers: added }));
    await client.tools.call("anything");
    expect((await server.saw("tools/call")).headers).toMatchObject({
      "x-trace": "abc",
      "mcp-method": "tools/call",
      "mcp-name": "anything",
      "mcp-protocol-version": "2026-07-28",
    });
  });

  test("are all that a server hears: a notification of the specification is refused here", async () => {
    const { server, client } = await openAlone();
    const notified = client.notify("notifications/progress", { progressToken: 1, progress: 1 });
    expect(await failure(notified)).toBeInstanceOf(NotInRevisionError);
    expect(server.whats()).not.toContain("notifications/progress");
  });

  test("do not let a server ask: its request is reported and not answered", async () => {
    const { server, client, problems } = await openAlone({
      "tools/call": (visit) => {
        visit.stream().event({ id: 1, method: "roots/list", params: {} });
        visit.finish(done);
      },
    });
    expect(await client.tools.call("anything")).toEqual(done);
    expect(problems).toEqual([expect.any(InvalidResponseError)]);
    await client.ping();
    expect(server.whats()).not.toContain("answer");
  });

  test("that lose their connection fail at once and say whether they may be repeated; the next works", async () => {
    const answers = [(visit: Visit) => visit.stream().cut()];
    const { server, client } = await openAlone({
      "tools/call": (visit) => (answers.shift() ?? ((later) => later.result(done)))(visit),
    });
    const error = await failure(client.tools.call("anything"));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error).toMatchObject({ lost: "connection", mayRetry: false });
    expect(await client.tools.call("anything")).toEqual(done);
    expect(server.of("tools/call").length).toBe(2);
  });

  test("are not resumed, whatever ids a stream has", async () => {
    const { server, client } = await openAlone({
      "tools/call": (visit) => visit.stream().event("", { id: "1", retry: 0 }).end(),
    });
    expect(await failure(client.tools.call("anything"))).toBeInstanceOf(CallLostError);
    expect(server.of("GET")).toEqual([]);
  });

  test("that lost their connection are sent again where that does no harm", async () => {
    const tools = [{ ...toolWith({}), annotations: { readOnlyHint: true } }];
    const { server, client } = await openAlone({
      "tools/list": (visit) => visit.result(list(tools)),
      "tools/call": (visit) => (server.of("tools/call").length === 1 ? visit.cut() : visit.result(done)),
    });
    expect(await client.tools.call("query")).toEqual(done);
    const [first, second] = server.of("tools/call") as [Visit, Visit];
    expect(second.body.id).not.toBe(first.body.id);
  });
});

describe("arguments that are repeated in headers", () => {
  test("are those that the list of tools names, wherever they stand", async () => {
    const { server, client } = await openAlone({ "tools/list": (visit) => visit.result(list([regional])) });
    await client.tools.list().all();
    const args = { region: "us-west1", limit: 42, dry: false, deep: { tenant: "Zoë" }, secret: "s" };
    await client.tools.call("query", args);
    const { headers, body } = await server.saw("tools/call");
    const params = Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-"));
    expect(Object.fromEntries(params)).toEqual({
      "mcp-param-region": "us-west1",
      "mcp-param-limit": "42",
      "mcp-param-dry-run": "false",
      "mcp-param-tenant": "=?base64?Wm/Dqw==?=",
    });
    expect(body.params.arguments).toEqual(args);
    expect(server.of("tools/list").length).toBe(1);
  });

  test("are left out when they are absent or null", async () => {
    const { server, client } = await openAlone({ "tools/list": (visit) => visit.result(list([regional])) });
    await client.tools.call("query", { region: null, deep: {} });
    const { headers } = await server.saw("tools/call");
    expect(Object.keys(headers).filter((name) => name.startsWith("mcp-param-"))).toEqual([]);
  });

  test("are found out before the first call of a tool that nobody listed, page by page and once", async () => {
    const { server, client } = await openAlone({
      "tools/list": (visit) =>
        visit.body.params.cursor
          ? visit.result(list([regional]))
          : visit.result({ ...list([toolWith({}, "other")]), nextCursor: "more" }),
    });
    await Promise.all(["query", "query", "unknown"].map((name) => client.tools.call(name, { region: "eu" })));
    const regions = server.of("tools/call").map(({ headers }) => headers["mcp-param-region"]);
    expect(regions.sort()).toEqual(["eu", "eu", undefined]);
    expect(server.of("tools/list").length).toBe(2);
  });

  test("do not matter where the list can't be had", async () => {
    const { client, problems } = await openAlone({ "tools/list": (visit) => visit.send(500) });
    expect(await client.tools.call("query", { region: "eu" })).toEqual(done);
    expect(problems).toEqual([]);
  });

  test("are looked up again when the server misses some, once", async () => {
    const tools = [toolWith({ region: { type: "string" } })];
    const { server, client } = await openAlone({
      "tools/list": (visit) => visit.result(list(tools)),
      "tools/call": (visit) =>
        visit.headers["mcp-param-region"] === "eu"
          ? visit.result(done)
          : visit.error(-32020, "Header mismatch", { status: 400 }),
    });
    await client.tools.list().all();
    tools.splice(0, 1, regional);
    expect(await client.tools.call("query", { region: "eu" })).toEqual(done);
    expect(server.whats().slice(1)).toEqual(["tools/list", "tools/call", "tools/list", "tools/call"]);
    const error = await failure(client.tools.call("query", { region: "us" }));
    expect(error).toMatchObject({ code: "rpc", wireCode: -32020 });
    expect(server.of("tools/call").length).toBe(4);
  });

  test("are looked up again when the list has changed", async () => {
    const { server, client } = await openAlone({
      "tools/list": (visit) => visit.result(list([regional])),
      "tools/call": (visit) => {
        visit.stream().event({ method: "notifications/tools/list_changed" });
        visit.finish(done);
      },
    });
    await client.tools.call("query");
    await client.tools.call("query");
    expect(server.of("tools/list").length).toBe(2);
  });

  test.each<[string, object]>([
    ["an empty name", { a: { type: "string", "x-mcp-header": "" } }],
    ["a name with a space", { a: { type: "string", "x-mcp-header": "A B" } }],
    ["a name with a line break", { a: { type: "string", "x-mcp-header": "A\r\nX: y" } }],
    ["a number", { a: { type: "number", "x-mcp-header": "A" } }],
    [
      "the same name twice",
      { a: { type: "string", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "a" } },
    ],
    ["a place in a list", { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } }],
  ])("spoil their tool when they ask for %s: it is left out and reported", async (_, properties) => {
    const tools = [toolWith(properties, "bad"), regional];
    const { client, problems } = await openAlone({ "tools/list": (visit) => visit.result(list(tools)) });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(["query"]);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The tool "bad" is left out: x-mcp-header /),
    ]);
    const raw = (await client.request("tools/list")) as { tools: { name: string }[] };
    expect(raw.tools.map(({ name }) => name)).toEqual(["query"]);
  });
});

describe("a subscription", () => {
  const idKey = "io.modelcontextprotocol/subscriptionId";
  const acknowledge = (visit: Visit) => {
    const { id, params } = visit.body;
    return visit.stream().event({
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [idKey]: id }, notifications: params.notifications },
    });
  };
  const tell = (visit: Visit) =>
    visit.event({
      method: "notifications/tools/list_changed",
      params: { _meta: { [idKey]: visit.body.id } },
    });

  test("is one long request, and closing it lets go of the connection", async () => {
    const { server, client } = await openAlone({ "subscriptions/listen": acknowledge });
    const subscription = await client.subscribe({ tools: true });
    expect(subscription.agreed).toEqual({ tools: true });
    await subscription.close();
    await (await server.saw("subscriptions/listen")).gone;
    expect(await subscription.ended).toEqual({ by: "client" });
  });

  test.each<[string, (visit: Visit) => void]>([
    ["breaks", (visit) => visit.cut()],
    ["ends without a word", (visit) => visit.end()],
  ])("whose connection %s is asked for again, and the host told when it is in place", async (_, stop) => {
    const changes: unknown[] = [];
    let onChange = () => {};
    const { server, client } = await openAlone({ "subscriptions/listen": acknowledge });
    const reconnected = new Promise<void>((resolve) => {
      client.onReconnected(resolve);
    });
    const subscription = await client.subscribe({ tools: true }, (change) => {
      changes.push(change);
      onChange();
    });
    stop(await server.saw("subscriptions/listen"));
    const again = await server.saw("subscriptions/listen", 1);
    await reconnected;
    const changed = new Promise<void>((resolve) => {
      onChange = resolve;
    });
    tell(again);
    await changed;
    expect(changes).toEqual([{ kind: "tools" }]);
    expect(again.body.params.notifications).toEqual({ toolsListChanged: true });
    await subscription.close();
    await again.gone;
  });

  test("is asked for until the server is back", async () => {
    hurry();
    const { server, client } = await openAlone({ "subscriptions/listen": acknowledge });
    const subscription = await client.subscribe({ tools: true });
    const statuses = [503, 502];
    server.become(
      aloneScript({
        "subscriptions/listen": (visit) => {
          const status = statuses.shift();
          return status ? visit.send(status) : acknowledge(visit);
        },
      }),
    );
    const reconnected = new Promise<void>((resolve) => {
      client.onReconnected(resolve);
    });
    (await server.saw("subscriptions/listen")).cut();
    await reconnected;
    expect(server.of("subscriptions/listen").length).toBe(4);
    await subscription.close();
  });

  test("that the server ends is over", async () => {
    const { server, client } = await openAlone({ "subscriptions/listen": acknowledge });
    const subscription = await client.subscribe({ tools: true });
    (await server.saw("subscriptions/listen")).finish({ resultType: "complete" });
    expect(await subscription.ended).toEqual({ by: "server" });
    expect(server.of("subscriptions/listen").length).toBe(1);
  });

  test("that is refused is not asked for again", async () => {
    const { server, client } = await openAlone({ "subscriptions/listen": (visit) => visit.send(500) });
    expect(await failure(client.subscribe({ tools: true }))).toMatchObject({ code: "http", status: 500 });
    expect(server.of("subscriptions/listen").length).toBe(1);
  });

  test("ends with the client, also while it waits to be asked for again", async () => {
    const { server, client } = await openAlone({ "subscriptions/listen": acknowledge });
    const subscription = await client.subscribe({ tools: true });
    const visit = await server.saw("subscriptions/listen");
    visit.cut();
    await visit.gone;
    await client.close();
    expect(await subscription.ended).toMatchObject({ by: "connection" });
  });
});
