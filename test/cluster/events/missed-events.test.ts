import { memoryState } from "allspeak/http";
import { describe, expect, it } from "vitest";
import type { EventReader } from "../../support/http/event-reader.ts";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { askNewest } from "../../support/http/stateless-request.ts";
import { cuttable, sharedMemory } from "../../support/shared-state.ts";
import { type FixtureNode, openNode } from "../nodes.ts";

const uris = ["fixture://notes", "fixture://notes/2"];
const updated = uris.map((uri) => ({ method: "notifications/resources/updated", params: { uri } }));
const listChanged = ["tools", "resources"].map((kind) => ({ method: `notifications/${kind}/list_changed` }));
/** More than the store keeps of them. */
const many = Array.from({ length: 12 }, (_, index) => `fixture://others/${index}`);

/** The next so many messages, in an order that does not matter. */
async function readSome(events: EventReader, count: number): Promise<unknown[]> {
  const messages: { method?: string; params?: object }[] = [];
  while (messages.length < count) messages.push((await events.message()) ?? {});
  return messages.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
}

const all = [...listChanged, ...updated].sort((one, other) =>
  `${one.method} ${JSON.stringify(one)}`.localeCompare(`${other.method} ${JSON.stringify(other)}`),
);

describe.each(["2025-11-25", "2025-06-18", "2025-03-26"])("a client of %s that was away", (revision) => {
  /** Subscribes a client, and cuts it off after its first event. */
  async function readOne({ url, server }: FixtureNode) {
    const session = await openSession(url, revision);
    for (const uri of uris) await (await session.ask("resources/subscribe", { uri })).result();
    const listening = await session.listen();
    await server.resources.updated(uris[0] ?? "");
    let last = await listening.next();
    while (last && !last.data) last = await listening.next();
    listening.cut();
    return { id: last?.id, session };
  }

  async function openReader(maxEvents: number) {
    const state = sharedMemory({ maxEvents });
    const [a, b] = [await openNode({ state }), await openNode({ state })];
    return { a, b, ...(await readOne(a)), state };
  }

  it("for longer than one process keeps events is told so, after those that are left", async () => {
    const node = await openNode({ state: memoryState({ maxEvents: 4 }) });
    const { id, session } = await readOne(node);
    for (let line = 1; line <= 12; line++) node.server.log("error", `line ${line}`);
    const resumed = await session.listen(id);
    for (const line of [9, 10, 11, 12])
      expect(await resumed.message()).toMatchObject({ params: { data: `line ${line}` } });
    expect(await readSome(resumed, all.length)).toMatchObject(all);
    await node.server.resources.updated(uris[1] ?? "");
    expect(await resumed.message()).toMatchObject({ params: { uri: uris[1] } });
    resumed.cut();
  });

  it("for a shorter time than one process keeps events gets those, and nothing else", async () => {
    const node = await openNode({ state: memoryState({ maxEvents: 20 }) });
    const { id, session } = await readOne(node);
    for (let line = 1; line <= 12; line++) node.server.log("error", `line ${line}`);
    const resumed = await session.listen(id);
    for (let line = 1; line <= 12; line++)
      expect(await resumed.message()).toMatchObject({ params: { data: `line ${line}` } });
    await node.server.resources.updated(uris[1] ?? "");
    expect(await resumed.message()).toMatchObject({ params: { uri: uris[1] } });
    resumed.cut();
  });

  it("for longer than events are stored is told that all it watches may have changed, at any node", async () => {
    const { a, b, id, session, state } = await openReader(10);
    for (const uri of many) await a.server.resources.updated(uri);
    // One has the events at hand, the other has just begun.
    const late = await openNode({ state });
    for (const { url } of [b, late]) {
      const resumed = await new RawSession(url, session.id, revision).listen(id);
      expect(await readSome(resumed, all.length)).toMatchObject(all);
      await a.server.resources.updated(uris[1] ?? "");
      expect(await resumed.message()).toMatchObject({ params: { uri: uris[1] } });
      resumed.cut();
    }
  });

  it("for a shorter time gets what it missed, and nothing else", async () => {
    const { a, b, id, session, state } = await openReader(1_000);
    for (const uri of many) await a.server.resources.updated(uri);
    await a.server.resources.updated(uris[1] ?? "");
    const late = await openNode({ state });
    for (const { url } of [b, late]) {
      const resumed = await new RawSession(url, session.id, revision).listen(id);
      expect(await resumed.message()).toMatchObject({ params: { uri: uris[1] } });
      resumed.cut();
    }
  });
});

describe("a node that was cut off for longer than events are stored", () => {
  it("tells those who listen there that all they watch may have changed", async () => {
    const state = sharedMemory({ maxEvents: 10 });
    const cut = cuttable(state);
    const [a, b] = [await openNode({ state }), await openNode({ state: cut.state })];
    const notifications = { toolsListChanged: true, resourceSubscriptions: uris };
    const newest = (await askNewest(b.url, "subscriptions/listen", { notifications })).events();
    await newest.message();
    const session = await openSession(b.url, "2025-11-25");
    for (const uri of uris) await (await session.ask("resources/subscribe", { uri })).result();
    const older = await session.listen();
    await a.server.resources.updated(uris[0] ?? "");
    expect(await newest.message()).toMatchObject(updated[0] ?? {});
    expect(await older.message()).toMatchObject(updated[0] ?? {});
    cut.cut();
    for (const uri of many) await a.server.resources.updated(uri);
    cut.mend();
    const [tools] = listChanged;
    expect(await readSome(newest, 3)).toMatchObject([...updated, tools]);
    expect(await readSome(older, all.length)).toMatchObject(all);
    newest.cut();
    older.cut();
  });

  it("tells them so, too, where they began before the first event of all", async () => {
    const state = sharedMemory({ maxEvents: 10 });
    const cut = cuttable(state);
    const [a, b] = [await openNode({ state }), await openNode({ state: cut.state })];
    const newest = (
      await askNewest(b.url, "subscriptions/listen", { notifications: { resourceSubscriptions: uris } })
    ).events();
    await newest.message();
    cut.cut();
    for (const uri of [...uris, ...many]) await a.server.resources.updated(uri);
    cut.mend();
    expect(await readSome(newest, 2)).toMatchObject(updated);
    newest.cut();
  });
});

it("a change that is stored together with more than the store keeps is told nevertheless", async () => {
  const state = sharedMemory();
  const [a, b] = [await openNode({ state }), await openNode({ state })];
  const newest = (
    await askNewest(b.url, "subscriptions/listen", { notifications: { resourceSubscriptions: uris } })
  ).events();
  await newest.message();
  const stored = a.server.resources.updated(uris[0] ?? "");
  for (let count = 0; count < 80; count++) a.server.log("warning", `${count} ${"x".repeat(20_000)}`);
  await stored;
  expect(await readSome(newest, 2)).toMatchObject(updated);
  newest.cut();
});
