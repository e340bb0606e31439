import { once } from "node:events";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { CallLimits, type LimitOutcome } from "../../src/guard/call-limits.ts";
import type { LimitOptions } from "../../src/guard/limit-options.ts";
import { memoryState } from "../../src/state/memory/memory-state.ts";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { createFixture } from "../support/http/fixture.ts";
import { toInitialize } from "../support/http/raw-session.ts";
import { askNewest, callNewest } from "../support/http/stateless-request.ts";

const MiB = 1024 ** 2;
const attacker = { principal: { issuer: "https://id.example", subject: "mallory" }, address: "203.0.113.66" };
const honest = { principal: { issuer: "https://id.example", subject: "anna" }, address: "203.0.113.1" };
const local = { principal: undefined, address: "127.0.0.1" };
const call = { method: "tools/call", params: { name: "a" } };
const listen = { method: "subscriptions/listen", params: {} };

function toLimits(options: LimitOptions): CallLimits {
  return new CallLimits(options, { name: "s", counters: () => memoryState().counters });
}

/** Takes places until one is refused. */
async function takeAll(take: () => LimitOutcome | Promise<LimitOutcome>): Promise<(() => void)[]> {
  const releases: (() => void)[] = [];
  for (let outcome = await take(); outcome.ok; outcome = await take()) releases.push(outcome.release);
  return releases;
}

describe.each([
  ["calls", call],
  ["streams of subscriptions/listen", listen],
])("shares of running %s", (_, request) => {
  const create = () => toLimits({ running: 100, listening: 100 });

  it("leave room for others when one principal takes all that it gets", async () => {
    const limits = create();
    expect(await takeAll(() => limits.acquire(request, attacker))).toHaveLength(75);
    expect((await limits.acquire(request, honest)).ok).toBe(true);
    expect((await limits.acquire(request, attacker)).ok).toBe(false);
  });

  it("are given back", async () => {
    const limits = create();
    for (let n = 0; n < 3; n++) {
      const releases = await takeAll(() => limits.acquire(request, attacker));
      expect(releases).toHaveLength(75);
      for (const release of releases) release();
    }
  });

  it("do not bind callers that can't be told apart", async () => {
    const limits = create();
    expect(await takeAll(() => limits.acquire(request, local))).toHaveLength(100);
  });
});

describe("shares of the bytes of running calls", () => {
  it("leave room for a large call of another principal", async () => {
    const limits = toLimits({ runningBytes: 100 * MiB });
    expect(await takeAll(() => limits.acquire(call, attacker, 5 * MiB))).toHaveLength(15);
    expect((await limits.acquire(call, honest, 5 * MiB)).ok).toBe(true);
    expect((await limits.acquire(call, attacker)).ok).toBe(true);
  });

  it("never refuse the only call, however large", async () => {
    const limits = toLimits({ runningBytes: MiB });
    expect((await limits.acquire(call, attacker, 5 * MiB)).ok).toBe(true);
    expect((await limits.acquire(call, honest, MiB)).ok).toBe(false);
  });
});

describe("large messages of strangers", () => {
  const stranger = { principal: undefined, address: "203.0.113.66" };
  const send = (limits: CallLimits, bytes: number) => {
    limits.countSize(stranger, bytes);
    return limits.acquire(call, stranger, bytes);
  };
  const countUntilRefused = async (limits: CallLimits, bytes: number) => {
    const releases = await takeAll(async () => {
      const outcome = await send(limits, bytes);
      if (outcome.ok) outcome.release();
      return outcome;
    });
    return releases.length;
  };

  it("cost as much of the rate as they cost to read: eleven of 4 MiB a minute by default", async () => {
    expect(await countUntilRefused(toLimits({}), 4 * MiB)).toBe(11);
  });

  it("cost no more than a quarter of the rate each, so that a small rate refuses none", async () => {
    expect(await countUntilRefused(toLimits({ anonymous: { calls: 40 } }), 4 * MiB)).toBe(3);
  });

  it.each([1, 2, 3, 4])("are not refused for their size alone by a rate of %i", async (calls) => {
    expect((await send(toLimits({ anonymous: false, rules: [{ calls }] }), 4 * MiB)).ok).toBe(true);
  });

  it("use up no more than small ones of the rate that all callers share", async () => {
    const limits = toLimits({ anonymous: false, rules: [{ calls: 100, by: "all" }] });
    expect(await countUntilRefused(limits, 4 * MiB)).toBe(100);
  });
});

/** A connection of a session: sends a request, and waits for the response. */
type Ask = (id: number, method: string, params: object) => Promise<{ error?: { code: number } }>;

/** Matches responses to requests. */
function toAsk(send: (text: string) => unknown) {
  const waiting = new Map<unknown, (message: object) => void>();
  const receive = (message: { id?: unknown }) => waiting.get(message.id)?.(message);
  const ask: Ask = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      void send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  return { ask, receive };
}

async function overWebSocket(url: string, headers: Record<string, string>): Promise<Ask> {
  const socket = new WebSocket(url.replace("http", "ws"), "mcp", { headers });
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  const { ask, receive } = toAsk((text) => socket.send(text));
  socket.on("message", (data) => receive(JSON.parse(String(data))));
  return ask;
}

async function overSse(url: string, headers: Record<string, string>): Promise<Ask> {
  const events = (await exchange(new URL("/sse", url).href, { headers })).events();
  onTestFinished(() => events.cut());
  const messages = new URL((await events.next())?.data ?? "", url).href;
  const post = { ...headers, "content-type": "application/json" };
  const { ask, receive } = toAsk((body) => exchange(messages, { body, headers: post }));
  void (async () => {
    for (let message = await events.message(); message; message = await events.message()) receive(message);
  })();
  return ask;
}

describe.each([
  ["a WebSocket", overWebSocket],
  ["HTTP+SSE", overSse],
])("running calls with large messages over %s", (_, connect) => {
  it("of one address are refused while others go on", async () => {
    const fixture = createFixture();
    const websocket = new WebSocketServer(websocketLimits());
    const limits = { runningBytes: 4 * MiB, anonymous: false } as const;
    const running = await serveHttp(fixture.server, { websocket, trustProxy: 1, limits });
    onTestFinished(() => running.close(0));
    const open = async (address: string) => {
      const ask = await connect(running.url, { "x-forwarded-for": address });
      const { method, params } = toInitialize("2024-11-05");
      await ask(0, method, params);
      return (id: number, name: string, args: object) => ask(id, "tools/call", { name, arguments: args });
    };
    const [greedy, other] = await Promise.all([open("203.0.113.66"), open("203.0.113.1")]);
    const large = "x".repeat(MiB);
    const names = [`${large}1`, `${large}2`];
    const waiting = names.map((name, at) => greedy(at + 1, "wait", { name }));
    for (const _ of names) await fixture.started.next();
    expect(await greedy(3, "echo", { text: "x".repeat(3 * MiB) })).toMatchObject({ error: { code: 503 } });
    expect(await other(1, "echo", { text: large })).toHaveProperty("result");
    expect(await greedy(4, "echo", { text: "x" })).toHaveProperty("result");
    for (const name of names) fixture.release(name);
    for (const answer of await Promise.all(waiting)) expect(answer).toHaveProperty("result");
    expect(await greedy(5, "echo", { text: "x".repeat(3 * MiB) })).toHaveProperty("result");
  });
});

describe.each(entries)("running calls with large bodies, $name", (entry) => {
  it("of one address are refused with 503 while others go on", async () => {
    const fixture = createFixture();
    const { url } = await open(entry, fixture.server, {
      trustProxy: 1,
      limits: { runningBytes: 4 * MiB, anonymous: false },
    });
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const large = "x".repeat(MiB);
    const names = [`${large}1`, `${large}2`];
    const waiting = names.map((name) => callNewest(url, "wait", { name }, from("203.0.113.66")));
    for (const _ of names) await fixture.started.next();
    const refused = await callNewest(url, "echo", { text: "x".repeat(3 * MiB) }, from("203.0.113.66"));
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect((await callNewest(url, "echo", { text: large }, from("203.0.113.1"))).status).toBe(200);
    expect((await askNewest(url, "tools/list", {}, from("203.0.113.66"))).status).toBe(200);
    for (const name of names) fixture.release(name);
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
    expect((await callNewest(url, "echo", { text: "x".repeat(3 * MiB) }, from("203.0.113.66"))).status).toBe(
      200,
    );
  });
});
