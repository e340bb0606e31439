import { createServer, tool } from "allspeak";
import type { HttpOptions } from "allspeak/http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { openSession, RawSession, toInitialize } from "../support/http/raw-session.ts";
import { sharedMemory } from "../support/shared-state.ts";

const attacker = { "x-forwarded-for": "203.0.113.66" };
const neighbour = { "x-forwarded-for": "203.0.113.1" };
const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const revision = "2025-11-25";

function createNotes() {
  const server = createServer({
    name: "notes",
    version: "1",
    log: () => {},
    tools: [
      tool("echo", {}, () => "here"),
      tool("say", { input: { chars: z.number() } }, async ({ chars }, ctx) => {
        await ctx.progress(1, 1, "x".repeat(chars));
        return "said";
      }),
      tool("ask", {}, async (_, ctx) => {
        await ctx.elicit("name", "Your name?", z.object({ name: z.string() }));
        return "asked";
      }),
    ],
  });
  server.resource("note://{+name}", {}, () => "text");
  return server;
}

/** Nodes; requests go to them in turn. One caller may have them store 4 times `maxBytes`. */
async function serve(maxBytes: number, { count = 2, ...options }: HttpOptions & { count?: number } = {}) {
  const [entry] = entries;
  if (entry === undefined) throw new Error("There is no way to serve.");
  const state = sharedMemory();
  const openOne = () =>
    open(entry, createNotes(), {
      state: { ...state },
      trustProxy: 1,
      sessions: { maxBytes },
      ...options,
    });
  const nodes = await Promise.all(Array.from({ length: count }, openOne));
  let requests = 0;
  return () => nodes[requests++ % nodes.length] as (typeof nodes)[number];
}

describe("the share of a caller in the sessions of a store that nodes share", () => {
  const described = { experimental: { x: { text: "y".repeat(20_000) } } };

  it("is counted at all nodes together; beyond it no session is opened for it, but for others", async () => {
    const next = await serve(32 * 1024);
    const initialize = async (headers: Record<string, string>) => {
      const body = toInitialize(revision, described);
      const answer = await exchange(next().url, { body, headers: { ...posting, ...headers } });
      await answer.text();
      return { status: answer.status, retryAfter: Number(answer.headers["retry-after"]) };
    };
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push((await initialize(attacker)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503, 503, 503]);
    const { retryAfter } = await initialize(attacker);
    expect([retryAfter > 60, retryAfter <= 1_800]).toEqual([true, true]);
    expect((await initialize(neighbour)).status).toBe(200);
  });

  it("counts a session that lives on once, however many nodes use it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const [count, maxBytes, idleMs] = [8, 32 * 1024, 60_000];
    const next = await serve(maxBytes, { count, sessions: { maxBytes, idleMs } });
    const opening = { headers: attacker, capabilities: described };
    const { id } = await openSession(next().url, revision, opening);
    const pingAll = async () => {
      for (let n = 0; n < count; n++)
        expect((await new RawSession(next().url, id, revision, attacker).ask("ping")).status).toBe(200);
    };
    await pingAll();
    for (let n = 0; n < 2; n++) {
      vi.setSystemTime(Date.now() + idleMs * 0.6);
      await pingAll();
    }
    expect((await openSession(next().url, revision, opening)).id).not.toBe(id);
  });

  it("counts what is added to a session, which keeps what it had", async () => {
    const next = await serve(16 * 1024);
    const sessions = [];
    for (let n = 0; n < 9; n++) sessions.push(await openSession(next().url, revision, { headers: attacker }));
    const statuses: number[] = [];
    for (const session of sessions) {
      const answer = await session.ask("resources/subscribe", { uri: `note://${"z".repeat(7_000)}` });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 503, 503, 503]);
    for (const session of sessions) expect((await session.ask("ping")).status).toBe(200);
  });
});

describe("the subscriptions of a session", () => {
  it("have a limit for their characters, so that no record of a session gets too large for a store", async () => {
    const next = await serve(64 * 1024 ** 2);
    const session = await openSession(next().url, revision, { headers: attacker });
    const errors: unknown[] = [];
    for (let n = 0; n < 135; n++) {
      const answer = await session.ask("resources/subscribe", { uri: `note://${n}/${"z".repeat(8_000)}` });
      const { error } = await answer.json();
      if (error) errors.push(error);
    }
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]).toMatchObject({ code: -32602, message: expect.stringContaining("1048576") });
  });
});

describe("the share of a caller in the streams of a store that nodes share", () => {
  it("is counted at all nodes together; beyond it its calls are refused for a while, and nobody else's", async () => {
    const next = await serve(64 * 1024);
    const session = await openSession(next().url, revision, { headers: attacker });
    const other = await openSession(next().url, revision, { headers: neighbour });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const answer = await session.call("say", { chars: 50_000 });
      statuses.push(answer.status);
      await answer.text();
    }
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    const refused = await session.call("echo");
    expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    expect((await refused.json()).error).toMatchObject({ code: 429 });
    expect((await other.call("say", { chars: 100 })).status).toBe(200);
  });

  it("counts the messages that one node passes on to another for HTTP+SSE", async () => {
    const next = await serve(64 * 1024);
    const holder = next();
    const elsewhere = next();
    const events = (await exchange(`${holder.origin}/sse`, { headers: attacker })).events();
    const path = (await events.next())?.data ?? "";
    const headers = { "content-type": "application/json", ...attacker };
    const post = async (body: object) => {
      const answer = await exchange(`${elsewhere.origin}${path}`, { body, headers });
      await answer.text();
      return answer.status;
    };
    expect(await post(toInitialize("2024-11-05"))).toBe(202);
    const statuses: number[] = [];
    const params = { requestId: 1, reason: "r".repeat(50_000) };
    for (let n = 0; n < 12; n++)
      statuses.push(await post({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
    expect(statuses.slice(0, 5)).toEqual([202, 202, 202, 202, 202]);
    expect(statuses.at(-1)).toBe(429);
    events.cut();
  });
});

describe("the share of a caller in the answers that one node passes on to another", () => {
  it("is counted; beyond it an answer is refused, and nobody else's", { timeout: 30_000 }, async () => {
    const next = await serve(64 * 1024 ** 2, { limits: false });
    const [asking, elsewhere] = [next(), next()];
    const openBoth = async (headers: typeof attacker) => {
      const session = await openSession(asking.url, revision, { headers, capabilities: { elicitation: {} } });
      return { session, other: new RawSession(elsewhere.url, session.id, revision, headers) };
    };
    const answerElsewhere = async (
      { session, other }: Awaited<ReturnType<typeof openBoth>>,
      chars: number,
    ) => {
      const events = (await session.call("ask")).events();
      const question = await events.message<{ id: string }>();
      const answer = await other.answer(question?.id, {
        action: "accept",
        content: { name: "n".repeat(chars) },
      });
      events.cut();
      return { status: answer.status, retryAfter: Number(answer.headers["retry-after"]) };
    };
    const hostile = await openBoth(attacker);
    const statuses: number[] = [];
    for (let n = 0; n < 18; n++) statuses.push((await answerElsewhere(hostile, 4_000_000)).status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(16);
    const refused = await answerElsewhere(hostile, 10);
    expect([refused.status, refused.retryAfter > 0]).toEqual([503, true]);
    expect((await answerElsewhere(await openBoth(neighbour), 10)).status).toBe(202);
  });
});
