import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

describe.each(entries)("$name", (entry) => {
  it("tells whether it takes requests", async () => {
    const { server, started, release } = createFixture();
    const { origin, url, close } = await open(entry, server);
    const health = async () => {
      const answer = await exchange(`${origin}/health`);
      return [answer.status, await answer.json()];
    };
    expect(await health()).toEqual([200, { status: "ok" }]);
    expect((await exchange(`${origin}/health`, { method: "HEAD" })).status).toBe(200);
    const call = callNewest(url, "wait", { name: "last" });
    await started.next();
    const closed = close();
    expect(await health()).toEqual([503, { status: "closing" }]);
    release("last");
    await (await call).text();
    await closed;
  });

  it("tells so elsewhere when it is told to, or nowhere", async () => {
    const moved = await open(entry, createFixture().server, { healthPath: "/alive" });
    expect((await exchange(`${moved.origin}/alive`)).status).toBe(200);
    expect((await exchange(`${moved.origin}/health`)).status).toBe(404);
    expect((await exchange(`${moved.origin}/alive`, { method: "POST" })).status).toBe(405);
    const silent = await open(entry, createFixture().server, { healthPath: false });
    expect((await exchange(`${silent.origin}/health`)).status).toBe(404);
  });

  it("lets calls under way come to their end, and takes no more", async () => {
    const { server, started, release, aborted } = createFixture();
    const { url, close } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const alone = callNewest(url, "wait", { name: "alone" });
    const inSession = session.call("wait", { name: "in session", talk: true });
    await started.take(2);
    const closed = close();
    const refused = await callNewest(url, "echo", { text: "late" });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect((await refused.json()).error.code).toBe(-32600);
    expect((await session.call("echo", { text: "late" })).status).toBe(503);
    release("alone");
    release("in session");
    expect((await (await alone).result()).result.content[0].text).toBe("released alone");
    expect((await (await inSession).result()).result.content[0].text).toBe("released in session");
    await closed;
    expect(aborted.drain()).toEqual([]);
    await expect(exchange(url)).rejects.toThrow();
  });

  it("takes the answer that a call under way waits for", async () => {
    const { server } = createFixture();
    const { url, close } = await open(entry, server);
    const session = await openSession(url, "2025-11-25", { capabilities: { elicitation: {} } });
    const events = (await session.call("ask")).events();
    const ask = await events.message<{ id: number }>();
    const closed = close();
    expect((await session.answer(ask?.id, { action: "decline" })).status).toBe(202);
    expect(await events.message()).toMatchObject({ result: { content: [{ text: '{"action":"decline"}' }] } });
    await closed;
  });

  it("ends what has not come to its end in time", async () => {
    const { server, started, aborted, running } = createFixture();
    const { url, close } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const pending = [
      callNewest(url, "wait", { name: "a" }),
      callNewest(url, "wait", { name: "b", talk: true }, { meta: { progressToken: 1 } }),
      session.call("wait", { name: "c" }),
      session.call("wait", { name: "d", talk: true }),
    ];
    await started.take(4);
    const outcomes = Promise.allSettled(pending.map(async (answer) => (await answer).text()));
    await close(50);
    expect((await aborted.take(4)).sort()).toEqual(["a", "b", "c", "d"]);
    await outcomes;
    expect(running()).toBe(0);
  });

  it("ends the streams of sessions gracefully", async () => {
    const { url, close } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-06-18");
    const events = await session.listen();
    const closed = close();
    expect(await events.next()).toEqual({ retry: 1000 });
    expect(await events.next()).toBeUndefined();
    await closed;
  });

  it("can be closed twice", async () => {
    const { close } = await open(entry, createFixture().server);
    await Promise.all([close(), close()]);
    await close();
  });
});
