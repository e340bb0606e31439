import { createServer, tool, UrlElicitationRequiredError } from "allspeak";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { askNewest } from "../../support/http/stateless-request.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory, withEvents } from "../../support/shared-state.ts";
import { openNode, openNodes } from "../nodes.ts";

interface Updated {
  readonly method: string;
  readonly params: { readonly uri: string };
}

describe("events of a server that several nodes serve", () => {
  it("reach those who listen in 2026-07-28, at every node, whichever node they happen at", async () => {
    const { nodes } = await openNodes();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["fixture://notes"] };
    const listening = await Promise.all(
      nodes.map(async ({ url }) =>
        (await askNewest(url, "subscriptions/listen", { notifications })).events(),
      ),
    );
    for (const events of listening)
      expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    for (const { server } of nodes) {
      server.resources.updated("fixture://notes");
      for (const events of listening)
        expect(await events.message()).toMatchObject({ params: { uri: "fixture://notes" } });
    }
    nodes[1].server.tool("later", "A tool that comes later", () => "now");
    for (const events of listening) {
      expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      events.cut();
    }
  });

  it("do not reach who began to listen after them, also at a node that is late", async () => {
    const state = sharedMemory();
    const reading = new Queue<string>();
    let held: Promise<void> | undefined;
    const late = withEvents(state, (events) => ({
      after: async (...given) => {
        reading.push("events");
        await held;
        return events.after(...given);
      },
    }));
    const ways = [state, state, late];
    const { nodes } = await openNodes({}, () => ways.shift() ?? state);
    const [a, b] = nodes;
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    reading.drain();
    await a.server.resources.updated("fixture://notes");
    const notifications = { resourceSubscriptions: ["fixture://notes", "fixture://notes/2"] };
    const asking = askNewest(b.url, "subscriptions/listen", { notifications });
    await reading.next();
    release();
    const events = (await asking).events();
    expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    await a.server.resources.updated("fixture://notes/2");
    expect(await events.message()).toMatchObject({ params: { uri: "fixture://notes/2" } });
    events.cut();
  });

  it("reach who begins to listen while others come without end", async () => {
    const state = sharedMemory();
    // A bus that has grown whenever it was read.
    const busy = withEvents(state, (events) => ({
      after: async (stream, ...given) => {
        const found = await events.after(stream, ...given);
        if (stream.endsWith("/bus")) await events.append(stream, [""], 60_000);
        return found;
      },
    }));
    const [a, b] = [await openNode({ state }), await openNode({ state: busy })];
    const notifications = { resourceSubscriptions: ["fixture://notes"] };
    const events = (await askNewest(b.url, "subscriptions/listen", { notifications })).events();
    expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    await a.server.resources.updated("fixture://notes");
    expect(await events.message()).toMatchObject({ params: { uri: "fixture://notes" } });
    events.cut();
  });

  it("reach every session once, in the order in which each resource changed", async () => {
    const { nodes } = await openNodes();
    const uris = Array.from({ length: 8 }, (_, index) => `fixture://notes/${index}`);
    const sessions = await Promise.all(
      [...nodes, ...nodes].map(async ({ url }, index) => {
        const session = await openSession(url, "2025-11-25");
        for (const uri of uris) await (await session.ask("resources/subscribe", { uri })).result();
        const at = nodes[(index + 1) % nodes.length]?.url ?? url;
        return new RawSession(at, session.id, "2025-11-25").listen();
      }),
    );
    for (const uri of uris) nodes[2].server.resources.updated(uri);
    nodes[2].server.tool("later", "A tool that comes last", () => "now");
    for (const events of sessions) {
      const seen: string[] = [];
      for (let next = await events.message<Updated>(); next; next = await events.message<Updated>()) {
        if (next.method === "notifications/tools/list_changed") break;
        seen.push(next.params.uri);
      }
      expect(seen).toEqual(uris);
      events.cut();
    }
  });

  it("include log messages, to all sessions or to one", async () => {
    const { nodes } = await openNodes();
    const [a, b, c] = nodes;
    const one = await openSession(a.url, "2025-06-18");
    const other = await openSession(b.url, "2025-06-18");
    const events = await new RawSession(b.url, one.id, "2025-06-18").listen();
    const others = await new RawSession(c.url, other.id, "2025-06-18").listen();
    c.server.log("warning", "for one", { session: one.id });
    a.server.log("error", "for all", { logger: "test" });
    expect(await events.message()).toMatchObject({ params: { level: "warning", data: "for one" } });
    expect(await events.message()).toMatchObject({ params: { data: "for all", logger: "test" } });
    expect(await others.message()).toMatchObject({ params: { data: "for all" } });
    events.cut();
    others.cut();
  });

  it("include the end of a URL elicitation, to the session that was told of it, whichever node completes it", async () => {
    const state = sharedMemory();
    const open = async () => {
      const login = tool("login", {}, () => {
        throw new UrlElicitationRequiredError([
          { id: "e1", url: "https://example.com/login", message: "Log in" },
        ]);
      });
      const server = createServer({ name: "urls", version: "1", tools: [login] });
      const running = await serveHttp(server, { state });
      onTestFinished(() => running.close(0));
      return { server, url: running.url };
    };
    const [a, b, c] = [await open(), await open(), await open()];
    const capabilities = { elicitation: { url: {} } };
    const session = await openSession(a.url, "2025-11-25", { capabilities });
    const stranger = await openSession(b.url, "2025-11-25", { capabilities });
    const { error } = await (await session.call("login")).result();
    expect(error.data.elicitations).toMatchObject([{ elicitationId: "e1" }]);
    const strange = await new RawSession(b.url, stranger.id, "2025-11-25").listen();
    const events = await new RawSession(b.url, session.id, "2025-11-25").listen();
    c.server.completeElicitation("e1");
    c.server.log("error", "after it");
    expect(await events.message()).toMatchObject({
      method: "notifications/elicitation/complete",
      params: { elicitationId: "e1" },
    });
    expect(await strange.message()).toMatchObject({ params: { data: "after it" } });
    events.cut();
    strange.cut();
  });
});
