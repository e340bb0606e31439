import { createServer, type Server } from "allspeak";
import { memoryState } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { openClient } from "../support/open-client.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { handshakeServer, type ScriptedServer } from "../support/scripted-server.ts";

/** A server that counts who watches what, and a host that has mounted a client of it. */
async function watching(wrap: (host: Server) => Server = (host) => host) {
  const script = { "resources/subscribe": () => ({}), "resources/unsubscribe": () => ({}) };
  const upstream = handshakeServer("2025-11-25", { script });
  const between = createServer({ name: "between", version: "1" });
  between.mount("up", await openClient(upstream, { revisions: ["2025-11-25"] }));
  return { upstream, host: wrap(between) };
}

/** The URIs that are subscribed to upstream at this moment. */
function watchedAt(upstream: ScriptedServer): Set<unknown> {
  const watched = new Set<unknown>();
  for (const { method, params } of upstream.line.received) {
    if (method === "resources/subscribe") watched.add(params.uri);
    if (method === "resources/unsubscribe") watched.delete(params.uri);
  }
  return watched;
}

/** Resolves once so many resources are subscribed to upstream. */
async function untilWatched(upstream: ScriptedServer, count: number): Promise<void> {
  while (watchedAt(upstream).size !== count)
    await upstream.line.next(({ method }) => /^resources\/(un)?subscribe$/.test(method));
}

const uris = ["up://1", "up://2", "up://3"];

describe("resources of a mounted client are watched until", () => {
  it("the session ends that subscribed to them", async () => {
    const { upstream, host } = await watching();
    const client = openRaw(host);
    await client.initialize();
    for (const uri of uris) await client.result("resources/subscribe", { uri });
    await untilWatched(upstream, 3);
    expect(watchedAt(upstream)).toEqual(new Set(uris));
    await client.close();
    await untilWatched(upstream, 0);
  });

  it("the last of several sessions ends, or unsubscribes", async () => {
    const { upstream, host } = await watching();
    const [first, second] = [openRaw(host), openRaw(host)];
    await first.initialize();
    await second.initialize();
    for (const client of [first, second, first])
      await client.result("resources/subscribe", { uri: "up://1" });
    await upstream.line.saw("resources/subscribe");
    await first.close();
    await second.result("ping");
    expect(upstream.line.methods().filter((method) => method === "resources/subscribe")).toHaveLength(1);
    expect(watchedAt(upstream)).toEqual(new Set(["up://1"]));
    await second.result("resources/unsubscribe", { uri: "up://1" });
    await untilWatched(upstream, 0);
  });

  it("the subscription of 2026-07-28 is cancelled", async () => {
    const { upstream, host } = await watching();
    const client = openRaw(host);
    const notifications = { resourceSubscriptions: uris };
    void client.ask("subscriptions/listen", alone({ notifications }), "listen");
    await untilWatched(upstream, 3);
    client.notify("notifications/cancelled", { requestId: "listen" });
    await untilWatched(upstream, 0);
  });

  it("the session ends, for a client that is mounted in a mounted server", async () => {
    const { upstream, host } = await watching((between) => {
      const outer = createServer({ name: "outer", version: "1" });
      outer.mount("between", between);
      return outer;
    });
    const client = openRaw(host);
    await client.initialize();
    await client.result("resources/subscribe", { uri: "up://1" });
    await upstream.line.saw("resources/subscribe");
    await client.close();
    await untilWatched(upstream, 0);
  });
});

describe.each(entries)("$name", (entry) => {
  it("deleted sessions leave nothing that a mounted client watches", async () => {
    const { upstream, host } = await watching();
    const { url } = await open(entry, host);
    for (let count = 0; count < 5; count++) {
      const session = await openSession(url, "2025-11-25");
      for (const uri of uris) await session.ask("resources/subscribe", { uri: `${uri}/${count}` });
      await session.delete();
    }
    await untilWatched(upstream, 0);
    expect(upstream.line.methods().filter((method) => method === "resources/unsubscribe")).toHaveLength(15);
  });

  it("a session for one request leaves nothing that a mounted client watches", async () => {
    const { upstream, host } = await watching();
    const { url } = await open(entry, host, { sessions: { stateless: true } });
    await new RawSession(url, "", "2025-11-25").ask("resources/subscribe", { uri: "up://1" });
    await upstream.line.saw("resources/unsubscribe");
  });

  it("a session that another process opened watches its resources again", async () => {
    const state = memoryState();
    const first = await watching();
    const opened = await open(entry, first.host, { state });
    const session = await openSession(opened.url, "2025-11-25");
    await session.ask("resources/subscribe", { uri: "up://1" });
    const second = await watching();
    const { url } = await open(entry, second.host, { state });
    await new RawSession(url, session.id, "2025-11-25").ask("ping");
    await second.upstream.line.saw("resources/subscribe");
    expect(watchedAt(second.upstream)).toEqual(new Set(["up://1"]));
  });
});
