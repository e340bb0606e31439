import { memoryState } from "allspeak/http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession, RawSession, toInitialize } from "../../support/http/raw-session.ts";

const json = { "content-type": "application/json" };
const ping = { jsonrpc: "2.0", id: 3, method: "ping" };
const refused = { code: -32600, message: expect.any(String) };

afterEach(() => vi.useRealTimers());

describe.each(entries)("a session of $name", (entry) => {
  it("has an id of 128 random bits in visible ASCII, and another one each time", async () => {
    const { url } = await open(entry, createFixture().server);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(url, "2025-06-18")));
    const ids = new Set(sessions.map(({ id }) => id));
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it("must be named: without its id a request is bad, with an unknown one nothing is found, and the answer repeats the id of the request", async () => {
    const { server, entered } = createFixture();
    const { url } = await open(entry, server);
    for (const method of ["POST", "GET", "DELETE"]) {
      const sent = { method, headers: json, ...(method === "POST" && { body: ping }) };
      const missing = await exchange(url, sent);
      const under = method === "POST" ? { jsonrpc: "2.0", id: ping.id } : { jsonrpc: "2.0" };
      expect(missing.status).toBe(400);
      expect(await missing.json()).toEqual({ ...under, error: refused });
      const unknown = await exchange(url, {
        ...sent,
        headers: { ...json, "mcp-session-id": "f".repeat(32) },
      });
      expect(unknown.status).toBe(404);
      expect(await unknown.json()).toEqual({ ...under, error: refused });
    }
    expect(entered()).toBe(0);
  });

  it("ends when the client deletes it", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-06-18");
    const events = await session.listen();
    const deleted = await session.delete();
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    expect(await events.next()).toBeUndefined();
    expect((await session.ask("ping")).status).toBe(404);
    expect((await session.get()).status).toBe(404);
    expect((await session.delete()).status).toBe(404);
  });

  it("ends with its calls", async () => {
    const { server, started, aborted, running } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const answer = session.call("wait", { name: "held" });
    await started.next();
    await session.delete();
    expect(await aborted.next()).toBe("held");
    expect((await (await answer).result()).id).toBe(1);
    expect(running()).toBe(0);
  });

  it("takes a missing version header for the revision that had none, and refuses an unknown or another one under the id of the request", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-03-26");
    const without = await session.ask("ping", {}, { headers: { "mcp-protocol-version": undefined } });
    expect(without.status).toBe(200);
    for (const version of ["1999-01-01", "", "2025-03-26, 2025-06-18", "2025-11-25"]) {
      const answer = await session.ask("ping", {}, { headers: { "mcp-protocol-version": version } });
      expect([version, answer.status]).toEqual([version, 400]);
      expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: expect.any(Number), error: refused });
    }
  });

  it("answers several requests at once, each on its own connection", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-11-25");
    const names = ["a", "b", "c"];
    const answers = names.map((name) => session.call("wait", { name, talk: name === "b" }));
    for (const _ of names) await started.next();
    for (const name of names.toReversed()) release(name);
    const texts = await Promise.all(
      answers.map(async (answer) => (await (await answer).result()).result.content[0].text),
    );
    expect(texts).toEqual(["released a", "released b", "released c"]);
  });

  it("refuses a second request under an id that is still being answered", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const first = session.call("wait", { name: "first" }, { id: 5 });
    await started.next();
    expect(await (await session.ask("ping", {}, { id: 5 })).result()).toMatchObject({
      id: 5,
      error: { code: -32600 },
    });
    expect((await (await session.ask("ping", {}, { id: "5" })).result()).result).toEqual({});
    release("first");
    expect((await (await first).result()).result.content[0].text).toBe("released first");
    expect((await (await session.ask("ping", {}, { id: 5 })).result()).result).toEqual({});
  });

  it("remembers the level of log messages that the client wants", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-06-18");
    const other = await openSession(url, "2025-06-18");
    await session.ask("logging/setLevel", { level: "error" });
    expect((await session.call("chat", { lines: ["x"] })).type).toBe("application/json");
    expect(await (await other.call("chat", { lines: ["x"] })).events().messages()).toHaveLength(2);
  });

  it("goes on with another server that has the same state", async () => {
    const state = memoryState();
    const first = await open(entry, createFixture().server, { state });
    const session = await openSession(first.url, "2025-06-18");
    await session.ask("resources/subscribe", { uri: "fixture://notes" });
    const { server } = createFixture();
    const second = await open(entry, server, { state });
    const moved = new RawSession(second.url, session.id, "2025-06-18");
    const told = await Promise.all(Array.from({ length: 5 }, () => moved.call("whoami")));
    for (const answer of told) {
      const { result } = await answer.result();
      expect(JSON.parse(result.content[0].text).session).toBe(session.id);
    }
    const events = await moved.listen();
    void server.resources.updated("fixture://notes");
    expect(await events.message()).toMatchObject({ params: { uri: "fixture://notes" } });
    events.cut();
  });
});

describe.each(entries)("the number of sessions of $name", (entry) => {
  it("is limited: whoever was idle for longest goes, and never one that is in use", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server, { sessions: { max: 3 } });
    const [busy, listening, idle] = [
      await openSession(url, "2025-06-18"),
      await openSession(url, "2025-06-18"),
      await openSession(url, "2025-06-18"),
    ];
    const answer = busy.call("wait", { name: "long" });
    await started.next();
    const events = await listening.listen();
    const fourth = await openSession(url, "2025-06-18");
    expect((await idle.ask("ping")).status).toBe(404);

    const fourthCall = fourth.call("wait", { name: "other" });
    await started.next();
    const refused = await exchange(url, { headers: json, body: toInitialize("2025-06-18") });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
    expect((await refused.json()).error.code).toBe(-32600);

    release("long");
    release("other");
    await (await answer).result();
    await (await fourthCall).result();
    expect((await busy.ask("ping")).status).toBe(200);
    await openSession(url, "2025-06-18");
    expect((await fourth.ask("ping")).status).toBe(404);
    expect((await listening.ask("ping")).status).toBe(200);
    events.cut();
  });

  it("shrinks when sessions are idle for too long", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    const { url } = await open(entry, createFixture().server, { sessions: { idleMs: 10_000 } });
    const [forgotten, used] = [await openSession(url, "2025-06-18"), await openSession(url, "2025-06-18")];
    vi.advanceTimersByTime(8000);
    expect((await used.ask("ping")).status).toBe(200);
    vi.advanceTimersByTime(8000);
    expect((await used.ask("ping")).status).toBe(200);
    expect((await forgotten.ask("ping")).status).toBe(404);
  });
});

describe.each(entries)("$name without sessions", (entry) => {
  const stateless = { sessions: { stateless: true } };

  it("gives out no id and serves each request of the session revisions by itself", async () => {
    const { url } = await open(entry, createFixture().server, stateless);
    const opening = await exchange(url, { headers: json, body: toInitialize("2025-06-18") });
    expect(opening.headers["mcp-session-id"]).toBeUndefined();
    expect((await opening.json()).result.protocolVersion).toBe("2025-06-18");
    const ready = await exchange(url, {
      headers: json,
      body: { jsonrpc: "2.0", method: "notifications/initialized" },
    });
    expect(ready.status).toBe(202);
    const headers = { ...json, "mcp-protocol-version": "2025-06-18" };
    const params = { name: "whoami", arguments: {} };
    const answer = await exchange(url, { headers, body: { ...ping, method: "tools/call", params } });
    const { result } = await answer.result();
    expect(JSON.parse(result.content[0].text).revision).toBe("2025-06-18");
  });

  it("has no streams beside requests and nothing to delete", async () => {
    const { url } = await open(entry, createFixture().server, stateless);
    for (const method of ["GET", "DELETE"]) {
      const answer = await exchange(url, { method, headers: { "mcp-session-id": "x" } });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, "POST"]);
    }
  });

  it("tells a handler that asks that this client can't be asked", async () => {
    const { url } = await open(entry, createFixture().server, stateless);
    const headers = { ...json, "mcp-protocol-version": "2025-11-25" };
    const params = { name: "ask", arguments: {} };
    const answer = await exchange(url, { headers, body: { ...ping, method: "tools/call", params } });
    const { result } = await answer.result();
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('needs the capability "elicitation"');
  });

  it("aborts a call as soon as its client goes, because nobody can come back", async () => {
    const { server, started, aborted } = createFixture();
    const { url } = await open(entry, server, stateless);
    const params = { name: "wait", arguments: { name: "x", talk: true }, _meta: { progressToken: 1 } };
    const answer = await exchange(url, { headers: json, body: { ...ping, method: "tools/call", params } });
    await started.next();
    answer.cut();
    expect(await aborted.next()).toBe("x");
  });
});
