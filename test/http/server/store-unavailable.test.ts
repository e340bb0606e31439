import { createServer, tool } from "allspeak";
import { memoryState, type State } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { openSession, toInitialize } from "../../support/http/raw-session.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

/** A state that other processes share, and that stops answering. */
function createLosable() {
  const memory = memoryState();
  let isLost = false;
  const losable = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        // Hints never fail; they are lost.
        if (name === "watch" || name === "onChange") return member.bind(target);
        return async (...args: unknown[]) => {
          if (isLost) throw new Error("connect ECONNREFUSED");
          return member.apply(target, args);
        };
      },
    });
  const state: State = {
    ...memory,
    isShared: true,
    sessions: losable(memory.sessions),
    events: losable(memory.events),
    values: losable(memory.values),
    counters: losable(memory.counters),
    tasks: losable(memory.tasks),
  };
  return {
    state,
    lose() {
      isLost = true;
    },
    find() {
      isLost = false;
    },
  };
}

const asks = tool("ask", { task: "required" }, () => "done");

function create() {
  return createServer({ name: "stored", version: "1", tools: [asks], log: () => {} });
}

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe.each(entries)("a store that is down, $name", (entry) => {
  async function expectUnavailable(answer: Awaited<ReturnType<typeof exchange>>) {
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
    expect(await answer.json()).toMatchObject({ error: { code: 503, data: { retryAfterMs: 5000 } } });
  }

  it("is 503 with Retry-After for a new session", async () => {
    const { state, lose, find } = createLosable();
    const { url } = await open(entry, create(), { state });
    lose();
    await expectUnavailable(await exchange(url, { body: toInitialize("2025-11-25"), headers: posting }));
    find();
    const initialize = () => exchange(url, { body: toInitialize("2025-11-25"), headers: posting });
    while ((await initialize()).status === 503);
    await openSession(url, "2025-11-25");
  });

  it("is 503 with Retry-After for a session of another process, which lives on", async () => {
    const { state, lose, find } = createLosable();
    const { url: first } = await open(entry, create(), { state });
    const session = await openSession(first, "2025-11-25");
    const { url } = await open(entry, create(), { state });
    const ping = () =>
      exchange(url, {
        body: { jsonrpc: "2.0", id: 1, method: "ping" },
        headers: { ...posting, "mcp-session-id": session.id, "mcp-protocol-version": "2025-11-25" },
      });
    lose();
    await expectUnavailable(await ping());
    find();
    let answer = await ping();
    while (answer.status === 503) answer = await ping();
    expect(answer.status).toBe(200);
  });

  it("is 503 with Retry-After for a call that needs it", async () => {
    const { state, lose } = createLosable();
    const { url } = await open(entry, create(), { state });
    lose();
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    await expectUnavailable(await callNewest(url, "ask", {}, { capabilities }));
  });
});
