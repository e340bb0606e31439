import { once } from "node:events";
import { type AuditEntry, audit, createServer, LimitCode, RpcError, rateLimit } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState } from "allspeak/http";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession, toInitialize } from "../support/http/raw-session.ts";
import { askNewest, callNewest } from "../support/http/stateless-request.ts";

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const quiet = { log: () => {} };

describe.each(entries)("limits over HTTP, $name", (entry) => {
  it("a stranger beyond its rate gets 429 with Retry-After, under the id of its request; others go on", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server, { trustProxy: 1, limits: { anonymous: { calls: 2 } } });
    for (let n = 0; n < 2; n++)
      expect((await askNewest(url, "tools/list", {}, from("203.0.113.1"))).status).toBe(200);
    const answer = await askNewest(url, "tools/list", {}, { id: "mine", ...from("203.0.113.1") });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(JSON.parse(await answer.text())).toMatchObject({
      jsonrpc: "2.0",
      id: "mine",
      error: { code: 429, data: { retryAfterMs: expect.any(Number) } },
    });
    expect((await askNewest(url, "tools/list", {}, from("203.0.113.2"))).status).toBe(200);
  });

  it("no header makes another of a stranger unless a proxy is trusted", async () => {
    const { server } = createFixture();
    const rules = [{ calls: 3, by: "all" as const }];
    const byCaller = [{ calls: 3 }];
    const { url } = await open(entry, server, {
      limits: { rules: entry.name === "createFetchHandler" ? rules : byCaller },
    });
    const spoofed = await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        askNewest(
          url,
          "tools/list",
          {},
          { headers: { "x-forwarded-for": `203.0.113.${n}`, "x-real-ip": `203.0.113.${n}` } },
        ),
      ),
    );
    expect(spoofed.filter(({ status }) => status === 200)).toHaveLength(3);
  });

  it("initialize counts: nobody fills the table of sessions from one address", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server, { trustProxy: 1, limits: { anonymous: { calls: 3 } } });
    const body = toInitialize("2025-11-25");
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      const answer = await exchange(url, { body, headers: { ...posting, ...from("203.0.113.1").headers } });
      statuses.push(answer.status);
      await answer.text();
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    const stream = await exchange(url.replace(/mcp$/, "sse"), {
      headers: { accept: "text/event-stream", ...from("203.0.113.1").headers },
    });
    expect(stream.status).toBe(429);
  });

  it("beyond the calls that may run, 503 with Retry-After before anything is read; then room again", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server, { limits: { running: 2 } });
    const running = ["one", "two"].map((name) => callNewest(url, "wait", { name }));
    await started.next();
    await started.next();
    const refused = await askNewest(url, "tools/list");
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("1");
    expect(JSON.parse(await refused.text())).toMatchObject({ error: { code: LimitCode.overloaded } });
    release("one");
    release("two");
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
    expect((await askNewest(url, "tools/list")).status).toBe(200);
  });

  it("a server without room still takes what its calls under way wait for", async () => {
    const server = createServer({ name: "asking", version: "1.0.0", ...quiet });
    server.tool("ask", "Asks", async (_, ctx) => {
      const answer = await ctx.elicit("go", "Go on?", { type: "object", properties: {} });
      return answer.action;
    });
    const { url } = await open(entry, server, { limits: { running: 1 } });
    const session = await openSession(url, "2025-11-25", { capabilities: { elicitation: {} } });
    const events = (await session.call("ask")).events();
    const question = await events.message<{ id: number; method: string }>();
    expect(question?.method).toBe("elicitation/create");
    expect((await session.ask("ping")).status).toBe(503);
    expect((await session.answer(question?.id, { action: "accept", content: {} })).status).toBe(202);
    expect(await events.message()).toMatchObject({ result: { content: [{ text: "accept" }] } });
    expect((await session.ask("ping")).status).toBe(200);
  });

  it("a batch counts as what is in it, and comes in whole or not at all", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server, { limits: { rules: [{ calls: 4, by: "all" }] } });
    const session = await openSession(url, "2025-03-26");
    const batch = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    expect((await session.post(batch)).status).toBe(200);
    const refused = await session.post(batch);
    expect(refused.status).toBe(503);
    expect((await session.notify("notifications/cancelled", { requestId: 1 })).status).toBe(202);
  });

  it("a principal has its own share, whatever its address; limits: false takes all away", async () => {
    const { server } = createFixture();
    const identify = (request: { header(name: string): string | undefined }) => {
      const subject = request.header("authorization");
      return subject === undefined ? undefined : { issuer: "https://id.example", subject };
    };
    const limits = { rules: [{ calls: 1, by: "principal" as const }] };
    const { url } = await open(entry, server, { identify, limits });
    const ask = (who: string, to = url) =>
      askNewest(to, "tools/list", {}, { headers: { authorization: who } });
    expect([(await ask("anna")).status, (await ask("anna")).status, (await ask("bob")).status]).toEqual([
      200, 429, 200,
    ]);

    const unlimited = await open(entry, server, { identify, limits: false });
    for (let n = 0; n < 3; n++) expect((await ask("anna", unlimited.url)).status).toBe(200);
  });

  it("an address that was turned away too often costs no more verification; others do", async () => {
    const { server } = createFixture();
    let verified = 0;
    const identify = (request: { header(name: string): string | undefined }) => {
      verified++;
      if (request.header("authorization") === "good")
        return { issuer: "https://id.example", subject: "anna" };
      throw new RpcError(-32600, "Not you.");
    };
    const limits = { anonymous: { calls: 3 } };
    const { url } = await open(entry, server, { identify, limits, trustProxy: 1 });
    const knock = (address: string, authorization: string) =>
      askNewest(url, "tools/list", {}, { headers: { authorization, ...from(address).headers } });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await knock("203.0.113.1", `bad ${n}`)).status);
    expect(statuses).toEqual([403, 403, 403, 429, 429]);
    expect(verified).toBe(3);
    expect((await knock("203.0.113.1", "good")).headers["retry-after"]).toBeDefined();
    for (let n = 0; n < 5; n++) expect((await knock("203.0.113.2", "good")).status).toBe(200);

    const behind = await open(entry, server, { identify, limits });
    const through = (authorization: string) =>
      askNewest(behind.url, "tools/list", {}, { headers: { authorization, ...from("203.0.113.1").headers } });
    for (let n = 0; n < 5; n++) expect((await through("bad")).status).toBe(403);
    expect((await through("good")).status).toBe(200);
  });

  it("a tool has a limit of its own, which nodes with one state share", async () => {
    const { server } = createFixture();
    const options = {
      state: memoryState(),
      limits: { rules: [{ tools: ["echo"], calls: 2, by: "all" as const }] },
    };
    const nodes = [await open(entry, server, options), await open(entry, server, options)];
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) {
      const { url } = nodes[n % 2] ?? { url: "" };
      statuses.push((await callNewest(url, "echo", { text: "x" })).status);
    }
    expect(statuses).toEqual([200, 200, 503, 503]);
    expect((await askNewest(nodes[0]?.url ?? "", "tools/list")).status).toBe(200);
  });

  it("rateLimit in the server refuses with the same status and header", async () => {
    const { server } = createFixture();
    server.use(rateLimit({ tools: ["echo"], calls: 1 }));
    const { url } = await open(entry, server);
    expect((await callNewest(url, "echo", { text: "x" })).status).toBe(200);
    const refused = await callNewest(url, "echo", { text: "x" });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("the everyday load of one machine is far below the limits that are on by default", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, id) => askNewest(url, "tools/list", {}, { id })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describe("limits for conversations", () => {
  it("a WebSocket is refused with 429 when it opens, and by an error when it calls", async () => {
    const { server } = createFixture();
    const running = await serveHttp(server, {
      websocket: new WebSocketServer(websocketLimits()),
      limits: { rules: [{ calls: 2 }] },
    });
    onTestFinished(() => running.close(0));
    const url = running.url.replace("http", "ws");
    const socket = new WebSocket(url, "mcp");
    await once(socket, "open");
    const answers: { id: number; error?: { code: number; data: unknown } }[] = [];
    const both = new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        answers.push(JSON.parse(String(data)));
        if (answers.length === 3) resolve();
      });
    });
    socket.send(JSON.stringify(toInitialize("2025-11-25")));
    for (const id of [1, 2]) socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }));
    await both;
    expect(answers.find(({ id }) => id === 1)).toHaveProperty("result");
    expect(answers.find(({ id }) => id === 2)?.error).toMatchObject({
      code: 429,
      data: { retryAfterMs: expect.any(Number) },
    });
    const late = new WebSocket(url, "mcp");
    const [, response] = await once(late, "unexpected-response");
    expect(response.statusCode).toBe(429);
    response.destroy();
    socket.terminate();
  });

  it("HTTP+SSE answers over its stream", async () => {
    const { server } = createFixture();
    const running = await serveHttp(server, { limits: { rules: [{ tools: ["echo"], calls: 1 }] } });
    onTestFinished(() => running.close(0));
    const client = await connect(running.url.replace(/mcp$/, "sse"), {
      revisions: ["2024-11-05"],
      hints: new Map(),
    });
    onTestFinished(() => client.close());
    await client.tools.call("echo", { text: "x" });
    await expect(client.tools.call("echo", { text: "x" })).rejects.toMatchObject({ wireCode: 429 });
  });

  it("a client is told by a typed error, wherever the limit is", async () => {
    const server = createServer({ name: "limited", version: "1.0.0" });
    server.tool("echo", "Echoes", () => "x");
    server.use(rateLimit({ calls: 1, tools: ["echo"] }));
    const client = await connect(server);
    onTestFinished(() => client.close());
    await client.tools.call("echo");
    const error = await client.tools.call("echo").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ wireCode: LimitCode.tooMany, data: { retryAfterMs: expect.any(Number) } });
  });

  it("over HTTP it is the same error, also for what was refused unread", async () => {
    const { server, started, release } = createFixture();
    const running = await serveHttp(server, {
      limits: { running: 1, rules: [{ tools: ["echo"], calls: 1 }] },
    });
    onTestFinished(() => running.close(0));
    const client = await connect(running.url, { hints: new Map() });
    onTestFinished(() => client.close());
    // Too little time to wait as long as the server asks for.
    const hasty = { timeout: { total: 500 } };
    await client.tools.call("echo", { text: "x" });
    await expect(client.tools.call("echo", { text: "x" }, hasty)).rejects.toMatchObject({ wireCode: 429 });
    const waiting = client.tools.call("wait", { name: "one" });
    await started.next();
    const error = await client.tools.call("echo", { text: "x" }, hasty).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ wireCode: 503, data: { retryAfterMs: 1000 } });
    release("one");
    await waiting;
  });
});

describe("audit", () => {
  it("tells who called what, with which outcome and how long it took, and no arguments", async () => {
    const told: AuditEntry[] = [];
    const server = createServer({ name: "audited", version: "1.0.0", ...quiet });
    server.use(audit((entry) => told.push(entry)));
    server.tool("echo", "Echoes", { type: "object" }, () => "x");
    server.tool("broken", "Breaks", () => {
      throw new Error("inside");
    });
    const identify = () => ({
      issuer: "https://id.example",
      subject: "anna",
      claims: { email: "a@b.example" },
    });
    const running = await serveHttp(server, { identify });
    onTestFinished(() => running.close(0));
    await callNewest(running.url, "echo", { password: "hunter2" });
    await callNewest(running.url, "broken");
    await callNewest(running.url, "unknown");
    expect(told).toMatchObject([
      {
        method: "tools/call",
        target: "echo",
        outcome: "ok",
        principal: { subject: "anna" },
        address: "127.0.0.1",
      },
      { method: "tools/call", target: "broken", outcome: "failed" },
      { method: "tools/call", target: "unknown", outcome: "error", code: -32602 },
    ]);
    expect(told[0]?.client).toEqual({ name: "raw", version: "1" });
    expect(told[0]?.at).toBeInstanceOf(Date);
    expect(told[0]?.durationMs).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(told)).not.toMatch(/hunter2|a@b/);
  });

  it("has the arguments where they are asked for, and what limits refuse", async () => {
    const told: AuditEntry[] = [];
    const server = createServer({ name: "audited", version: "1.0.0", ...quiet });
    const sink = (entry: AuditEntry) => told.push(entry);
    server.use(audit(sink, { arguments: true })).use(rateLimit({ tools: ["echo"], calls: 1 }));
    server.tool("echo", "Echoes", { type: "object" }, () => "x");
    const client = await connect(server);
    onTestFinished(() => client.close());
    await client.tools.call("echo", { text: "seen" });
    await client.tools.call("echo", { text: "seen" }).catch(() => {});
    expect(told.filter(({ method }) => method === "tools/call")).toMatchObject([
      { outcome: "ok", arguments: { text: "seen" } },
      { outcome: "refused", code: 429, arguments: { text: "seen" } },
    ]);
  });

  it("a sink that fails ends no call", async () => {
    const server = createServer({ name: "audited", version: "1.0.0", ...quiet });
    const complaints: unknown[] = [];
    const original = console.error;
    console.error = (...parts: unknown[]) => void complaints.push(parts);
    onTestFinished(() => {
      console.error = original;
    });
    let times = 0;
    server.use(
      audit(() => {
        if (times++ === 0) throw new Error("full disk");
        return Promise.reject(new Error("full disk"));
      }),
    );
    server.tool("echo", "Echoes", () => "x");
    const client = await connect(server);
    onTestFinished(() => client.close());
    await client.tools.call("echo");
    await client.tools.call("echo");
    expect(complaints.length).toBe(times);
    expect(times).toBeGreaterThan(1);
  });
});
