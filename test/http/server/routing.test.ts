import { createServer, tool } from "allspeak";
import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession, toInitialize } from "../../support/http/raw-session.ts";
import { askNewest, callNewest, newest, toNewest } from "../../support/http/stateless-request.ts";

const json = { "content-type": "application/json" };

describe.each(entries)("$name", (entry) => {
  it("serves a request that names the newest revision by itself, without a session", async () => {
    const { url } = await open(entry, createFixture().server);
    const answer = await callNewest(url, "whoami", {}, { id: "a" });
    expect([answer.status, answer.type]).toEqual([200, "application/json"]);
    expect(answer.headers["mcp-session-id"]).toBeUndefined();
    const { id, result } = await answer.json();
    expect([id, result.resultType]).toEqual(["a", "complete"]);
    expect(JSON.parse(result.content[0].text)).toEqual({ revision: newest });
  });

  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])("opens a session of %s", async (revision) => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, revision);
    const { result } = await (await session.call("whoami")).result();
    expect(JSON.parse(result.content[0].text)).toEqual({ revision, session: session.id });
  });

  it("serves clients of all revisions at once", async () => {
    const { origin, url } = await open(entry, createFixture().server);
    const sessions = await Promise.all(
      ["2025-03-26", "2025-06-18", "2025-11-25"].map((revision) => openSession(url, revision)),
    );
    const oldest = (await exchange(`${origin}/sse`)).events();
    const { data = "" } = (await oldest.next()) ?? {};
    await exchange(new URL(data, origin).href, { headers: json, body: toInitialize("2024-11-05") });
    const told = await Promise.all([
      callNewest(url, "whoami").then((answer) => answer.json()),
      ...sessions.map((session) => session.call("whoami").then((answer) => answer.result())),
    ]);
    const revisions = told.map(({ result }) => JSON.parse(result.content[0].text).revision);
    expect(revisions).toEqual([newest, "2025-03-26", "2025-06-18", "2025-11-25"]);
    expect((await oldest.message())?.result).toMatchObject({ protocolVersion: "2024-11-05" });
    oldest.cut();
  });

  it("opens a session for a client that sends its version with initialize already", async () => {
    const { url } = await open(entry, createFixture().server);
    const answer = await exchange(url, {
      headers: { ...json, "mcp-protocol-version": "2025-06-18" },
      body: toInitialize("2025-06-18"),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers["mcp-session-id"]).toMatch(/^[!-~]{32,}$/);
    expect((await answer.json()).result.protocolVersion).toBe("2025-06-18");
  });

  it("answers a handshake for a revision it does not know with its newest that has one", async () => {
    const { url } = await open(entry, createFixture().server);
    const answer = await exchange(url, { headers: json, body: toInitialize("2099-01-01") });
    expect((await answer.json()).result.protocolVersion).toBe("2025-11-25");
  });

  it("ignores a session and an event that a request of the newest revision names", async () => {
    const { url } = await open(entry, createFixture().server);
    const headers = { "mcp-session-id": "no-such-session", "last-event-id": "no-such-event" };
    const answer = await callNewest(url, "echo", { text: "hello" }, { headers });
    expect((await answer.json()).result.content).toEqual([{ type: "text", text: "hello" }]);
    expect(answer.headers["mcp-session-id"]).toBeUndefined();
  });

  it("takes notifications of the newest revision and has nothing to say to them", async () => {
    const { url } = await open(entry, createFixture().server);
    const answer = await exchange(url, {
      headers: { ...json, "mcp-protocol-version": newest },
      body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  it("refuses a response and a batch in the newest revision", async () => {
    const { url } = await open(entry, createFixture().server);
    const headers = { ...json, "mcp-protocol-version": newest };
    for (const body of [{ jsonrpc: "2.0", id: 1, result: {} }, [toNewest("tools/list", {}).body]]) {
      const answer = await exchange(url, { headers, body });
      expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32600]);
    }
  });

  it("serves nothing but the newest revision where nothing else is offered", async () => {
    const server = createServer({ name: "new", version: "1", revisions: [newest] });
    const { origin, url } = await open(entry, server);
    expect((await askNewest(url, "server/discover")).status).toBe(200);
    const opening = await exchange(url, { headers: json, body: toInitialize("2025-11-25") });
    expect([opening.status, (await opening.json()).error.code]).toEqual([400, -32020]);
    const get = await exchange(url, { headers: { accept: "text/event-stream" } });
    expect([get.status, get.headers.allow]).toEqual([405, "POST"]);
    expect((await exchange(`${origin}/sse`)).status).toBe(404);
  });

  it("says which methods are allowed, and that there is nothing elsewhere", async () => {
    const { origin, url } = await open(entry, createFixture().server);
    const put = await exchange(url, { method: "PUT", headers: json, body: "{}" });
    expect([put.status, put.headers.allow]).toEqual([405, "GET, POST, DELETE"]);
    expect((await put.json()).error.code).toBe(-32600);
    const elsewhere = await exchange(`${origin}/elsewhere`, { headers: json, body: "{}" });
    expect([elsewhere.status, (await elsewhere.json()).error.code]).toEqual([404, -32600]);
  });

  it("answers at another path when it is told to", async () => {
    const { url } = await open(entry, createFixture().server, { path: "/api/tools" });
    expect(url).toMatch(/\/api\/tools$/);
    expect((await askNewest(url, "tools/list")).status).toBe(200);
    expect((await askNewest(`${url}/x`, "tools/list")).status).toBe(404);
    expect((await askNewest(`${url}?key=1`, "tools/list")).status).toBe(200);
  });
});

describe.each(entries)("$name refuses in the newest revision", (entry) => {
  const send = async (request: { body: unknown; headers: Record<string, string | undefined> }) => {
    const { url } = await open(entry, createFixture().server);
    const answer = await exchange(url, { headers: request.headers, body: request.body as object });
    return { status: answer.status, type: answer.type, ...(await answer.json()) };
  };

  it("a request that does not say who speaks", async () => {
    const headers = { ...json, "mcp-protocol-version": newest, "mcp-method": "tools/list" };
    const request = { jsonrpc: "2.0", id: 7, method: "tools/list" };
    expect(await send({ headers, body: request })).toMatchObject({
      status: 400,
      id: 7,
      error: { code: -32602 },
    });
    const halfway = { ...request, params: { _meta: { "io.modelcontextprotocol/protocolVersion": newest } } };
    expect(await send({ headers, body: halfway })).toMatchObject({ status: 400, error: { code: -32602 } });
  });

  it("a revision it does not speak, and says which it does", async () => {
    const { body, headers } = toNewest(
      "tools/list",
      {},
      {
        headers: { "mcp-protocol-version": "2099-01-01" },
        meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" },
      },
    );
    const answer = await send({ body, headers });
    expect(answer).toMatchObject({
      status: 400,
      id: 1,
      error: { code: -32022, data: { requested: "2099-01-01" } },
    });
    expect(answer.error.data.supported).toContain(newest);
  });

  it("an unknown method, or one of other revisions", async () => {
    expect(await send(toNewest("tools/explode", {}))).toMatchObject({
      status: 404,
      id: 1,
      error: { code: -32601 },
    });
    expect(await send(toNewest("ping", {}))).toMatchObject({ status: 404, error: { code: -32601 } });
    expect(await send(toNewest("initialize", {}))).toMatchObject({ status: 404, error: { code: -32601 } });
  });

  it("a client that lacks what the server can't do without", async () => {
    const server = createServer({
      name: "demanding",
      version: "1",
      requires: ["elicitation"],
      tools: [tool("noop", {}, () => "")],
    });
    const { url } = await open(entry, server);
    const lacking = await askNewest(url, "tools/list");
    expect([lacking.status, (await lacking.json()).error]).toMatchObject([
      400,
      { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    ]);
    expect((await askNewest(url, "tools/list", {}, { capabilities: { elicitation: {} } })).status).toBe(200);
  });

  const mismatches: [what: string, headers: Record<string, string | undefined>][] = [
    ["another version than the body", { "mcp-protocol-version": "2025-11-25" }],
    ["no version", { "mcp-protocol-version": undefined }],
    ["another method than the body", { "mcp-method": "tools/list" }],
    ["a method in other letters", { "mcp-method": "TOOLS/CALL" }],
    ["no method", { "mcp-method": undefined }],
    ["another name than the body", { "mcp-name": "fail" }],
    ["no name", { "mcp-name": undefined }],
    ["broken base64 for a name", { "mcp-name": "=?base64?!!!?=" }],
    ["base64 that is no UTF-8", { "mcp-name": "=?base64?//4=?=" }],
    ["bytes beyond ASCII for a name", { "mcp-name": "\u00e9cho" }],
  ];
  it.each(mismatches)("a header with %s", async (_, headers) => {
    const request = toNewest("tools/call", { name: "echo", arguments: { text: "x" } }, { headers });
    expect(await send(request)).toMatchObject({ status: 400, id: 1, error: { code: -32020 } });
  });

  it("a name that is given twice, the same or not", async () => {
    const { url } = await open(entry, createFixture().server);
    const { body, headers } = toNewest("tools/call", { name: "echo", arguments: { text: "x" } });
    for (const names of [
      ["echo", "echo"],
      ["echo", "fail"],
    ]) {
      const answer = await exchange(url, { body, headers: { ...headers, "mcp-name": names } });
      expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32020]);
    }
  });

  it.each([
    ["tasks/result", { taskId: "1" }],
    ["resources/subscribe", { uri: "test://a" }],
    ["resources/unsubscribe", { uri: "test://a" }],
  ])("but not the missing name of %s, which this revision does not have", async (method, params) => {
    const request = toNewest(method, params, { headers: { "mcp-name": undefined } });
    expect(await send(request)).toMatchObject({ error: { code: -32601 } });
  });

  it("but not a name in base64, or one with spaces around it", async () => {
    for (const name of ["=?base64?ZWNobw==?=", "  echo\t"]) {
      const request = toNewest(
        "tools/call",
        { name: "echo", arguments: { text: "x" } },
        { headers: { "mcp-name": name } },
      );
      expect(await send(request)).toMatchObject({ status: 200, result: { resultType: "complete" } });
    }
  });
});

describe.each(entries)("$name checks arguments that are repeated in headers", (entry) => {
  const schema = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      seats: { type: "integer", "x-mcp-header": "Seats" },
      where: { type: "object", properties: { indoors: { type: "boolean", "x-mcp-header": "Indoors" } } },
    },
  };
  const book = tool("book", { input: schema }, () => "booked");
  const server = createServer({ name: "mirror", version: "1", tools: [book] });
  const call = async (args: object, headers: Record<string, string>) => {
    const { url } = await open(entry, server);
    const answer = await callNewest(url, "book", args, { headers });
    const { error } = await answer.json();
    return [answer.status, error?.code];
  };

  it.each([
    [{ region: "eu" }, { "mcp-param-region": "eu" }],
    [{ region: "Zürich" }, { "mcp-param-region": "=?base64?WsO8cmljaA==?=" }],
    [{ region: " a\nb " }, { "mcp-param-region": "=?base64?IGEKYiA=?=" }],
    [{ seats: 4 }, { "mcp-param-seats": "4" }],
    [{ seats: 4 }, { "mcp-param-seats": "4.0" }],
    [{ where: { indoors: true } }, { "mcp-param-indoors": "true" }],
    [{ region: null }, {}],
    [{}, {}],
  ])("%j fits %j", async (args, headers) => {
    expect(await call(args, headers as Record<string, string>)).toEqual([200, undefined]);
  });

  it.each([
    [{ region: "eu" }, {}],
    [{ region: "eu" }, { "mcp-param-region": "us" }],
    [{ region: "eu" }, { "mcp-param-region": "EU" }],
    [{}, { "mcp-param-region": "eu" }],
    [{ seats: 4 }, { "mcp-param-seats": "5" }],
    [{ seats: 0 }, { "mcp-param-seats": "" }],
    [{ where: { indoors: true } }, { "mcp-param-indoors": "false" }],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?####?=" }],
  ])("%j does not fit %j", async (args, headers) => {
    expect(await call(args, headers as Record<string, string>)).toEqual([400, -32020]);
  });
});
