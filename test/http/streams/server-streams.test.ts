import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession, RawSession, toInitialize } from "../../support/http/raw-session.ts";

interface Ask {
  readonly id: number;
  readonly method: string;
}

const elicitation = { capabilities: { elicitation: {} } };

describe.each(entries)("the stream of a session, $name", (entry) => {
  it("brings what belongs to no request", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const answer = await session.get();
    expect(answer.headers).toMatchObject({ "content-type": "text/event-stream", "x-accel-buffering": "no" });
    const events = answer.events();
    server.tool("later", "Came later", () => "");
    expect(await events.message()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: {},
    });
    events.cut();
  });

  it("is replaced by a new one, which brings what the old one did not", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    await session.ask("resources/subscribe", { uri: "a:1" });
    await session.ask("resources/subscribe", { uri: "a:2" });
    void server.resources.updated("a:1");
    const first = await session.listen();
    expect(await first.message()).toMatchObject({ params: { uri: "a:1" } });
    const second = await session.listen();
    expect(await first.next()).toBeUndefined();
    void server.resources.updated("a:2");
    expect(await second.message()).toMatchObject({ params: { uri: "a:2" } });
    second.cut();
  });

  it("says nothing to a client that has not said that it is ready", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const headers = { "content-type": "application/json" };
    const opening = await exchange(url, { headers, body: toInitialize("2025-06-18") });
    const session = new RawSession(url, String(opening.headers["mcp-session-id"]), "2025-06-18");
    const events = await session.listen();
    server.tool("early", "Came early", () => "");
    await session.ask("resources/subscribe", { uri: "a:1" });
    void server.resources.updated("a:1");
    await session.notify("notifications/initialized");
    void server.resources.updated("a:1");
    await session.delete();
    expect(await events.messages()).toMatchObject([{ method: "notifications/resources/updated" }]);
  });

  it("can be resumed after an event, and brings exactly what came after it", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    for (const uri of ["a:1", "a:2", "a:3"]) await session.ask("resources/subscribe", { uri });
    const first = await session.listen();
    void server.resources.updated("a:1");
    const seen = await first.next();
    first.cut();
    void server.resources.updated("a:2");
    void server.resources.updated("a:3");
    const second = await session.listen(seen?.id);
    expect(await second.message()).toMatchObject({ params: { uri: "a:2" } });
    expect(await second.message()).toMatchObject({ params: { uri: "a:3" } });
    second.cut();
  });
});

describe.each(entries)("the stream of a call, $name", (entry) => {
  it("carries the questions of its handler, and answers come by POST", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-11-25", elicitation);
    const [one, two] = [(await session.call("ask")).events(), (await session.call("ask")).events()];
    const [first, second] = [await one.message<Ask>(), await two.message<Ask>()];
    expect([first?.method, second?.method]).toEqual(["elicitation/create", "elicitation/create"]);
    expect(first?.id).not.toBe(second?.id);
    const accepted = await session.answer(second?.id, { action: "accept", content: { seats: 2 } });
    expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
    await session.post({ jsonrpc: "2.0", id: first?.id, error: { code: -1, message: "No idea." } });
    expect(await two.message()).toMatchObject({
      result: { content: [{ text: '{"action":"accept","content":{"seats":2}}' }] },
    });
    expect(await one.message()).toMatchObject({ id: 1, error: { code: -1 } });
  });

  it("takes no answer from another session", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-11-25", elicitation);
    const other = await openSession(url, "2025-11-25", elicitation);
    const events = (await session.call("ask")).events();
    const ask = await events.message<Ask>();
    await other.answer(ask?.id, { action: "accept", content: { seats: 666 } });
    await session.answer(String(ask?.id), { action: "accept", content: { seats: 667 } });
    await session.answer(ask?.id, { action: "decline" });
    expect(await events.message()).toMatchObject({ result: { content: [{ text: '{"action":"decline"}' }] } });
  });

  it("has event ids that are not those of any other stream", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-06-18");
    const [a, b] = [await session.call("steps", { count: 3 }), await session.call("steps", { count: 3 })];
    const ids = [...(await a.events().rest()), ...(await b.events().rest())].map(({ id }) => id);
    expect(new Set(ids).size).toBe(8);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,200}$/);
  });

  it("can be resumed while the call runs and after it, and other streams are not mixed in", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const lost = (await session.call("wait", { name: "lost", talk: true })).events();
    const seen = await lost.next();
    await started.next();
    lost.cut();
    await (await session.call("steps", { count: 3 })).text();
    const resumed = await session.listen(seen?.id);
    release("lost");
    const rest = await resumed.rest();
    expect(rest.map(({ data }) => JSON.parse(data ?? ""))).toMatchObject([
      { id: 1, result: { content: [{ text: "released lost" }] } },
    ]);
    const again = await (await session.listen(seen?.id)).rest();
    expect(again).toEqual(rest);
  });

  it("is primed in 2025-11-25, so that it can be resumed before anything was said", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server, { sessions: { retryMs: 123 } });
    const session = await openSession(url, "2025-11-25");
    const first = (await session.call("wait", { name: "p", talk: true })).events();
    const priming = await first.next();
    expect(priming).toEqual({ id: expect.any(String), retry: 123, data: "" });
    await started.next();
    first.cut();
    release("p");
    const messages = await (await session.listen(priming?.id)).messages();
    expect(messages).toMatchObject([{ method: "notifications/progress" }, { id: 1 }]);
  });

  it("is let go of when the handler says so, and the client comes back for the answer", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server, { sessions: { retryMs: 50 } });
    const session = await openSession(url, "2025-11-25");
    const answer = await session.call("wait", { name: "poll", leave: true });
    const events = await answer.events().rest();
    expect(events).toEqual([{ id: expect.any(String), retry: 50, data: "" }, { retry: 50 }]);
    await started.next();
    const resumed = await session.listen(events[0]?.id);
    release("poll");
    expect(await resumed.messages()).toMatchObject([
      { id: 1, result: { content: [{ text: "released poll" }] } },
    ]);
  });

  it.each(["2025-03-26", "2025-06-18"])("is not let go of in %s, which has no way back", async (revision) => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, revision);
    const answer = session.call("wait", { name: "stay", leave: true });
    await started.next();
    release("stay");
    expect(await (await answer).result()).toMatchObject({ result: { content: [{ text: "released stay" }] } });
  });

  it.each([
    "",
    "r1-1",
    "0",
    "no-such-event",
    "x".repeat(2000),
    "../../main-0",
    "00000000-r1-1",
    "%0d%0a",
    "1-1-1",
  ])("is not resumed from %j", async (id) => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-06-18");
    await (await session.call("steps", { count: 2 })).text();
    const answer = await session.get(id);
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32600]);
  });

  it("keeps only so many answers for those who come back", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-06-18");
    const ids: (string | undefined)[] = [];
    for (let call = 0; call < 105; call++) {
      const events = await (await session.call("steps", { count: 1 })).events().rest();
      ids.push(events[0]?.id);
    }
    expect((await session.get(ids[0])).status).toBe(400);
    expect(await (await session.listen(ids.at(-1))).messages()).toHaveLength(1);
  });
});
