import { once } from "node:events";
import { createServer, rateLimit } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState } from "allspeak/http";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession } from "../support/http/raw-session.ts";
import { askNewest, callNewest } from "../support/http/stateless-request.ts";

const attacker = { "x-forwarded-for": "203.0.113.66" };
const honest = { "x-forwarded-for": "203.0.113.1" };
const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe.each(entries)("B6: requests that are no calls, $name", (entry) => {
  async function serve(calls: number) {
    const { server, entered } = createFixture();
    const options = { trustProxy: 1, limits: { anonymous: { calls } } };
    return { ...(await open(entry, server, options)), entered };
  }

  it("broken bodies count like calls, and beyond the rate nothing of the caller is read any more", async () => {
    const { url } = await serve(3);
    const post = async (body: string) => {
      const answer = await exchange(url, { body, headers: { ...posting, ...attacker } });
      await answer.text();
      return answer.status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 9; n++) statuses.push(await post("{broken"));
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429, 429, 429, 429]);
    const refused = await askNewest(url, "tools/list", {}, { headers: attacker });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
    expect((await askNewest(url, "tools/list", {}, { headers: honest })).status).toBe(200);
  });

  it("notifications, streams and deleted sessions count, too", async () => {
    const { url } = await serve(5);
    const session = await openSession(url, "2025-11-25", { headers: attacker });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await session.notify("notifications/x")).status);
    for (let n = 0; n < 3; n++) statuses.push((await session.get("not an event")).status);
    // One notification said that the session is ready.
    expect(statuses).toEqual([202, 202, 202, 400, 400, 429]);
    expect((await session.delete()).status).toBe(429);
    expect((await askNewest(url, "tools/list", {}, { headers: honest })).status).toBe(200);
  });

  it("a large body counts as many small ones", async () => {
    const { url } = await serve(90);
    const large = { text: "x".repeat(160 * 1024) };
    expect((await callNewest(url, "echo", large, { headers: attacker })).status).toBe(200);
    const statuses = [];
    for (let n = 0; n < 70; n++)
      statuses.push((await callNewest(url, "echo", { text: "x" }, { headers: attacker })).status);
    expect(statuses).toEqual([...Array(69).fill(200), 429]);
  });
});

describe("B6: messages over WebSockets that are no calls", () => {
  async function start(calls: number) {
    const websocket = new WebSocketServer(websocketLimits());
    const options = { websocket, trustProxy: 1, limits: { anonymous: { calls } } };
    const running = await serveHttp(createFixture().server, options);
    onTestFinished(() => running.close(0));
    return async (headers: Record<string, string>) => {
      const socket = new WebSocket(running.url.replace("http", "ws"), "mcp", { headers });
      onTestFinished(() => socket.terminate());
      await once(socket, "open");
      return socket;
    };
  }
  const ask = async (socket: WebSocket, text: string) => {
    socket.send(text);
    const [data] = await Promise.race([once(socket, "message"), once(socket, "close")]);
    return typeof data === "number" ? "closed" : (JSON.parse(String(data)).error?.code ?? "ok");
  };
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });

  it("initialize counts, and beyond the rate it is refused", async () => {
    const connect = await start(3);
    const socket = await connect(attacker);
    const outcomes = [];
    for (let n = 0; n < 5; n++) outcomes.push(await ask(socket, initialize));
    expect(outcomes).toEqual(["ok", "ok", "ok", 429, 429]);
    expect(await ask(await connect(honest), initialize)).toBe("ok");
  });

  it.each([
    ["broken messages", "{broken", -32700],
    ["messages that are no JSON-RPC", "{}", -32600],
  ])("%s count, and beyond the rate they end the connection", async (_, text, code) => {
    const connect = await start(3);
    const socket = await connect(attacker);
    const outcomes = [];
    for (let n = 0; n < 4; n++) outcomes.push(await ask(socket, text));
    expect(outcomes).toEqual([code, code, code, "closed"]);
    await expect(connect(attacker)).rejects.toThrow("429");
    expect(await ask(await connect(honest), ping)).toBe("ok");
  });

  it("notifications that nobody listens to count, and beyond the rate they end the connection", async () => {
    const connect = await start(3);
    const socket = await connect(attacker);
    const closed = once(socket, "close");
    for (let n = 0; n < 4; n++) socket.send('{"jsonrpc":"2.0","method":"notifications/progress"}');
    await closed;
    await expect(connect(attacker)).rejects.toThrow("429");
    expect(await ask(await connect(honest), ping)).toBe("ok");
  });

  it("requests before initialize, and in no revision, count", async () => {
    const connect = await start(3);
    const socket = await connect(attacker);
    const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}';
    await ask(socket, ping);
    await ask(socket, '{"jsonrpc":"2.0","id":1,"method":"logging/setLevel"}');
    await ask(socket, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${meta}}}`);
    expect(await ask(socket, initialize)).toBe(429);
  });

  it("answers to nothing count", async () => {
    const connect = await start(3);
    const socket = await connect(attacker);
    const closed = once(socket, "close");
    for (let n = 0; n < 4; n++) socket.send(`{"jsonrpc":"2.0","id":${n},"result":{}}`);
    await closed;
  });
});

describe("counters of two servers in one state", () => {
  it("are apart over HTTP, by the names of the servers", async () => {
    const state = memoryState();
    const limits = { rules: [{ calls: 1, by: "all" as const }] };
    const create = (name: string) => {
      const server = createServer({ name, version: "1", log: () => {} });
      server.tool("echo", "Echoes", () => "x");
      return server;
    };
    const [entry] = entries;
    if (entry === undefined) throw new Error("There is no entry.");
    const first = await open(entry, create("first"), { state, limits });
    const second = await open(entry, create("second"), { state, limits });
    const again = await open(entry, create("first"), { state, limits });
    expect((await callNewest(first.url, "echo")).status).toBe(200);
    expect((await callNewest(second.url, "echo")).status).toBe(200);
    expect((await callNewest(again.url, "echo")).status).toBe(503);
  });

  it("are apart in rateLimit, by its name and by what it limits", async () => {
    const { counters } = memoryState();
    const server = createServer({ name: "s", version: "1", log: () => {} });
    server.tool("one", "One", () => "x");
    server.tool("two", "Two", () => "x");
    server.use(rateLimit({ tools: ["one"], calls: 1, counters, name: "s" }));
    server.use(rateLimit({ tools: ["two"], calls: 1, counters, name: "s" }));
    const client = await connect(server);
    onTestFinished(() => client.close());
    await client.tools.call("one");
    await client.tools.call("two");
    await expect(client.tools.call("one")).rejects.toMatchObject({ wireCode: 429 });
  });
});
