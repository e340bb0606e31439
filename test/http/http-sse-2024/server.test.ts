import { describe, expect, it } from "vitest";
import { entries, type Listening, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { toInitialize } from "../../support/http/raw-session.ts";

const headers = { "content-type": "application/json" };

/** The stream of a client of the oldest revision, and its way to post. */
async function connect({ origin }: Listening, path = "/sse", capabilities: object = {}) {
  const answer = await exchange(`${origin}${path}`, { headers: { accept: "text/event-stream" } });
  const events = answer.events();
  const first = await events.next();
  const url = new URL(first?.data ?? "", origin).href;
  const post = (body: object) => exchange(url, { headers, body });
  await post(toInitialize("2024-11-05", capabilities));
  const opened = await events.message<{ result: { protocolVersion: string } }>();
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { answer, events, first, url, post, opened };
}

const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, _meta: { progressToken: id } },
});

describe.each(entries)("HTTP+SSE of $name", (entry) => {
  it("says first where to post, accepts each post, and answers with message events", async () => {
    const listening = await open(entry, createFixture().server);
    const { answer, events, first, post, opened } = await connect(listening);
    expect(answer.headers).toMatchObject({ "content-type": "text/event-stream", "x-accel-buffering": "no" });
    expect(first).toMatchObject({
      event: "endpoint",
      data: expect.stringMatching(/^\/messages\?sessionId=[0-9a-f]{32}$/),
    });
    expect(opened?.result.protocolVersion).toBe("2024-11-05");
    const accepted = await post(call(1, "echo", { text: "hello" }));
    expect(accepted.status).toBe(202);
    const event = await events.next();
    expect(event?.event).toBe("message");
    expect(JSON.parse(event?.data ?? "")).toMatchObject({ id: 1, result: { content: [{ text: "hello" }] } });
    events.cut();
  });

  it("brings progress, changes and questions over the same stream", async () => {
    const { server } = createFixture();
    const listening = await open(entry, server);
    const { events, post } = await connect(listening);
    await post(call(1, "steps", { count: 2 }));
    expect(await events.message()).toMatchObject({ method: "notifications/progress" });
    expect(await events.message()).toMatchObject({ method: "notifications/progress" });
    expect(await events.message()).toMatchObject({ id: 1 });
    server.tool("later", "Came later", () => "");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    events.cut();
  });

  it("brings large answers that come at once to a client that reads them", async () => {
    const listening = await open(entry, createFixture().server);
    const { events, post } = await connect(listening);
    await Promise.all([1, 2, 3].map((id) => post(call(id, "big", { bytes: 2 * 1024 ** 2 }))));
    const ids: unknown[] = [];
    while (ids.length < 3) ids.push((await events.message())?.id);
    expect(ids.sort()).toEqual([1, 2, 3]);
    events.cut();
  });

  it("takes no further messages for a client that reads no answers, and goes on when it does", async () => {
    const fixture = createFixture();
    const listening = await open(entry, fixture.server);
    const { events, post } = await connect(listening);
    let calls = 0;
    let refused = await post(call(++calls, "big", { bytes: 4 * 1024 ** 2 }));
    while (refused.status === 202) {
      await fixture.idle();
      refused = await post(call(++calls, "big", { bytes: 4 * 1024 ** 2 }));
    }
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    for (let id = 1; id < calls; id++) expect(await events.message()).toMatchObject({ id });
    expect((await post(call(calls, "echo", { text: "x" }))).status).toBe(202);
    expect(await events.message()).toMatchObject({ id: calls });
    events.cut();
  });

  it("aborts the calls of a client that goes, and forgets it", async () => {
    const { server, started, aborted } = createFixture();
    const listening = await open(entry, server);
    const { events, post } = await connect(listening);
    await post(call(1, "wait", { name: "held" }));
    await started.next();
    events.cut();
    expect(await aborted.next()).toBe("held");
    expect((await post(call(2, "echo", { text: "x" }))).status).toBe(404);
  });

  it("cancels a call when it is told to", async () => {
    const { server, started, aborted } = createFixture();
    const listening = await open(entry, server);
    const { events, post } = await connect(listening);
    await post(call(0, "wait", { name: "zero" }));
    await started.next();
    await post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } });
    expect(await aborted.next()).toBe("zero");
    events.cut();
  });

  it("finds nothing for an unknown stream, and none without a name", async () => {
    const { origin } = await open(entry, createFixture().server);
    for (const query of ["", "?sessionId=", `?sessionId=${"0".repeat(32)}`]) {
      const answer = await exchange(`${origin}/messages${query}`, { headers, body: call(1, "echo") });
      expect([query, answer.status, (await answer.json()).error.code]).toEqual([query, 404, -32600]);
    }
  });

  it("stands at other paths when it is told to, and nowhere when it is not wanted", async () => {
    const moved = await open(entry, createFixture().server, {
      sse: { path: "/old/events", messagesPath: "/old/post" },
    });
    const { events, first } = await connect(moved, "/old/events");
    expect(first?.data).toMatch(/^\/old\/post\?sessionId=/);
    events.cut();
    expect((await exchange(`${moved.origin}/sse`)).status).toBe(404);
    const none = await open(entry, createFixture().server, { sse: false });
    expect((await exchange(`${none.origin}/sse`)).status).toBe(404);
    expect((await exchange(`${none.origin}/messages`, { headers, body: {} })).status).toBe(404);
  });

  it("says where to post behind a proxy that takes a part of the path away", async () => {
    const listening = await open(entry, createFixture().server, { publicUrl: "https://example.com/api/mcp" });
    const events = (await exchange(`${listening.origin}/sse`)).events();
    expect((await events.next())?.data).toMatch(/^\/api\/messages\?sessionId=/);
    events.cut();
    const elsewhere = await open(entry, createFixture().server, { publicUrl: "https://example.com/" });
    const others = (await exchange(`${elsewhere.origin}/sse`)).events();
    expect((await others.next())?.data).toMatch(/^\/messages\?sessionId=/);
    others.cut();
  });

  it("says which methods are allowed", async () => {
    const { origin } = await open(entry, createFixture().server);
    const post = await exchange(`${origin}/sse`, { headers, body: {} });
    expect([post.status, post.headers.allow]).toEqual([405, "GET"]);
    const get = await exchange(`${origin}/messages`);
    expect([get.status, get.headers.allow]).toEqual([405, "POST"]);
  });

  it("has room for only so many", async () => {
    const listening = await open(entry, createFixture().server, { sessions: { max: 1 } });
    const { events } = await connect(listening);
    const refused = await exchange(`${listening.origin}/sse`);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
    events.cut();
  });

  it("gives a sign of life when there is nothing to say", async () => {
    const listening = await open(entry, createFixture().server, { keepAliveMs: 20 });
    const { events } = await connect(listening);
    expect((await events.next())?.comment).toBe("");
    events.cut();
  });
});
