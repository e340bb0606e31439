import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { RedisServer } from "../state/redis/redis-server.ts";
import { connectors, hasRedis, openState } from "../state/redis/support.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { openNodes } from "./nodes.ts";

const notes = "fixture://notes";
const revision = "2025-11-25";

interface Notification {
  readonly params?: { readonly uri?: string };
}

describe.skipIf(!hasRedis)("a store that is replaced by an empty one while nodes run", () => {
  it("has lost its sessions, and serves new ones at every node with all that happens at any", async () => {
    const redis = await RedisServer.start();
    const admin = new Redis(redis.url);
    onTestFinished(() => admin.disconnect());
    const { nodes } = await openNodes({}, async () =>
      openState(await connectors["a URL and ioredis"](redis.url), { prefix: "emptied" }),
    );
    const [a, b, c] = nodes;
    const lost = await openSession(a.url, revision);
    const held = new RawSession(b.url, lost.id, revision).call("wait", { name: "held", talk: true });
    await b.started.next();

    await admin.flushall();
    for (const { url } of nodes)
      expect((await new RawSession(url, lost.id, revision).ask("ping")).status).toBe(404);
    expect(await b.aborted.next()).toBe("held");
    (await held).cut();

    const session = await openSession(a.url, revision);
    await (
      await new RawSession(b.url, session.id, revision).ask("resources/subscribe", { uri: notes })
    ).result();
    const events = await new RawSession(c.url, session.id, revision).listen();
    for (const { server } of nodes) await server.resources.updated(notes);
    // Nodes that have missed events say first that everything may have changed.
    let message = await events.message<Notification>();
    while (message && message.params?.uri !== notes) message = await events.message<Notification>();
    expect(message).toMatchObject({ method: "notifications/resources/updated" });
    events.cut();
    const steps = (
      await new RawSession(b.url, session.id, revision).call("steps", { count: 3 }, { id: 8 })
    ).events();
    expect((await steps.messages()).at(-1)).toMatchObject({
      id: 8,
      result: { content: [{ text: "3 steps" }] },
    });
  });
});
