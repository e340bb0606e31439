import { type Principal, RpcError } from "allspeak";
import { memoryState, type State } from "allspeak/http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createSessionId } from "../../../src/transports/http/server/session/session-id.ts";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession, RawSession, toInitialize } from "../../support/http/raw-session.ts";

const people: Record<string, Principal> = {
  alice: { issuer: "https://issuer.example", subject: "alice", client: "app" },
  "alice-renewed": { issuer: "https://issuer.example", subject: "alice", client: "app", scopes: ["more"] },
  bob: { issuer: "https://issuer.example", subject: "bob", client: "app" },
  "alice-elsewhere": { issuer: "https://other.example", subject: "alice", client: "app" },
  "alice-other-app": { issuer: "https://issuer.example", subject: "alice", client: "other" },
};
const identify = (request: { header(name: string): string | undefined }) =>
  people[request.header("authorization") ?? ""];
const as = (who: string) => ({ headers: { authorization: who } });
const strangers = ["bob", "alice-elsewhere", "alice-other-app", ""];

describe.each(entries)("CVE-2026-33946, CVE-2025-6515: somebody else's session, $name", (entry) => {
  it.each(strangers)("%j gets the same answer as for a session that never was", async (who) => {
    const { server, started, aborted, release } = createFixture();
    const { url } = await open(entry, server, { identify });
    const alice = await openSession(url, "2025-11-25", as("alice"));
    const stream = await alice.listen();
    await stream.next();
    const call = await alice.call("wait", { name: "hers", talk: true });
    const events = call.events();
    const priming = await events.next();
    await started.next();

    const thief = new RawSession(url, alice.id, "2025-11-25", { authorization: who || undefined });
    const nobody = new RawSession(url, createSessionId(), "2025-11-25", { authorization: who || undefined });
    const tries = (session: RawSession) => [
      session.ask("ping"),
      session.ask("resources/subscribe", { uri: "fixture://notes" }),
      session.notify("notifications/cancelled", { requestId: 1 }),
      session.answer(1, {}),
      session.get(),
      session.get(priming?.id),
      session.delete(),
    ];
    const [stolen, unknown] = await Promise.all(
      [thief, nobody].map(async (session) => {
        const answers = await Promise.all(tries(session));
        return Promise.all(answers.map(async (answer) => [answer.status, answer.type, await answer.text()]));
      }),
    );
    expect(stolen).toEqual(unknown);
    for (const [status] of stolen ?? []) expect(status).toBe(404);

    // Hers goes on as if nothing had been.
    server.tool(`later-${who}`, "Came later", () => "");
    expect(await stream.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    release("hers");
    expect(await events.messages()).toMatchObject([{ method: "notifications/progress" }, { id: 1 }]);
    expect(aborted.drain()).toEqual([]);
    stream.cut();
  });

  it("a renewed token of the same principal keeps working", async () => {
    const { url } = await open(entry, createFixture().server, { identify });
    const alice = await openSession(url, "2025-11-25", as("alice"));
    const renewed = new RawSession(url, alice.id, "2025-11-25", { authorization: "alice-renewed" });
    expect((await renewed.ask("ping")).status).toBe(200);
  });

  it.each(strangers)("%j can't post to somebody else's stream of HTTP+SSE", async (who) => {
    const { server, entered } = createFixture();
    const { origin } = await open(entry, server, { identify });
    const stream = (await exchange(`${origin}/sse`, as("alice"))).events();
    const { data = "" } = (await stream.next()) ?? {};
    const headers = { "content-type": "application/json", authorization: who || undefined };
    const url = new URL(data, origin).href;
    const stolen = await exchange(url, { headers, body: toInitialize("2024-11-05") });
    const unknown = await exchange(url.replace(/.{32}$/, createSessionId()), {
      headers,
      body: toInitialize("2024-11-05"),
    });
    expect(stolen.status).toBe(404);
    expect([stolen.status, await stolen.text()]).toEqual([unknown.status, await unknown.text()]);
    expect(entered()).toBe(0);
    stream.cut();
  });

  it("a session opened by nobody in particular is not for somebody, nor the other way round", async () => {
    const { url } = await open(entry, createFixture().server, { identify });
    const open1 = await openSession(url, "2025-11-25");
    const withToken = new RawSession(url, open1.id, "2025-11-25", { authorization: "alice" });
    expect((await withToken.ask("ping")).status).toBe(404);
    expect((await open1.ask("ping")).status).toBe(200);
  });
});

describe.each(entries)("CVE-2026-33032: one unguarded route, $name", (entry) => {
  const json = { "content-type": "application/json" };
  const body = JSON.stringify(toInitialize("2025-11-25"));
  /** Every route, and whether it is for everybody. */
  const routes: [method: string, path: string, isPublic: boolean][] = [
    ["POST", "/mcp", false],
    ["GET", "/mcp", false],
    ["DELETE", "/mcp", false],
    ["GET", "/sse", false],
    ["POST", "/messages?sessionId=x", false],
    ["OPTIONS", "/mcp", true],
    ["GET", "/health", true],
  ];

  it("every route asks who calls, but those that say nothing of anybody", async () => {
    const { server, entered } = createFixture();
    const refuse = () => {
      throw new RpcError(-32001, "Nobody may.");
    };
    const { origin } = await open(entry, server, { identify: refuse });
    for (const [method, path, isPublic] of routes) {
      const sent = method === "POST" ? { headers: json, body } : {};
      const answer = await exchange(`${origin}${path}`, { method, ...sent });
      expect([method, path, answer.status]).toEqual([
        method,
        path,
        isPublic ? (method === "GET" ? 200 : 204) : 403,
      ]);
      expect(answer.headers["mcp-session-id"]).toBeUndefined();
    }
    expect(entered()).toBe(0);
  });
});

/** Counts what is kept. */
function counting(): { readonly state: State; readonly kept: Set<string> } {
  const memory = memoryState();
  const kept = new Set<string>();
  const sessions: State["sessions"] = {
    create: (session, ttlMs) => {
      kept.add(session.id);
      return memory.sessions.create(session, ttlMs);
    },
    touch: (id, ttlMs) => memory.sessions.touch(id, ttlMs),
    replace: (session, version, ttlMs) => memory.sessions.replace(session, version, ttlMs),
    remove: (id) => {
      kept.delete(id);
      return memory.sessions.remove(id);
    },
  };
  return { state: { ...memory, sessions }, kept };
}

describe("M3: abandoned sessions", () => {
  it("10,000 of them are gone after the idle limit", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { createFetchHandler } = await import("allspeak/http");
    const { state, kept } = counting();
    const handle = createFetchHandler(createFixture().server, { state, sessions: { idleMs: 2000 } });
    const post = (body: object, id?: string) =>
      handle(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", ...(id && { "mcp-session-id": id }) },
          body: JSON.stringify(body),
        }),
      );
    const ids: string[] = [];
    for (let at = 0; at < 10_000; at++) {
      const response = await post(toInitialize("2025-11-25"));
      ids.push(response.headers.get("mcp-session-id") ?? "");
    }
    expect(new Set(ids).size).toBe(10_000);
    expect(kept.size).toBe(10_000);
    await vi.advanceTimersByTimeAsync(4000);
    expect(kept.size).toBe(0);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    for (const id of ids.slice(-100)) expect((await post(ping, id)).status).toBe(404);
    await handle.close(0);
  }, 40_000);
});
