import type { State } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory, withEvents } from "../../support/shared-state.ts";
import { openNode, openNodes } from "../nodes.ts";

const revisions = ["2025-03-26", "2025-06-18", "2025-11-25"] as const;
const notes = "fixture://notes";

/** Updates resources at a node, and expects the session to be notified of each in order. */
async function expectUpdates(
  session: RawSession,
  { server }: Pick<Awaited<ReturnType<typeof openNode>>, "server">,
  uris: readonly string[],
): Promise<void> {
  const events = await session.listen();
  for (const uri of uris) await server.resources.updated(uri);
  for (const uri of uris) expect(await events.message()).toMatchObject({ params: { uri } });
  events.cut();
}

describe.each(revisions)("a session of %s that several nodes share", (revision) => {
  it("opens at one node, is used at another, listens at a third and ends at any", async () => {
    const { nodes } = await openNodes();
    const [a, b, c] = nodes;
    const session = await openSession(a.url, revision);
    const at = (url: string) => new RawSession(url, session.id, revision);
    const told = await (await at(b.url).call("whoami")).result();
    expect(JSON.parse(told.result.content[0].text)).toMatchObject({ revision, session: session.id });
    const events = await at(c.url).listen();
    expect((await at(b.url).delete()).status).toBe(204);
    expect(await events.message()).toBeUndefined();
    for (const node of nodes) expect((await at(node.url).ask("ping")).status).toBe(404);
  });

  it("has its changes seen at every node: its level, its subscriptions, and that it is ready", async () => {
    const { nodes } = await openNodes();
    const [a, b, c] = nodes;
    const session = await openSession(a.url, revision);
    const at = (url: string) => new RawSession(url, session.id, revision);
    const events = await at(c.url).listen();
    await (await at(b.url).ask("resources/subscribe", { uri: notes })).result();
    a.server.resources.updated(notes);
    expect(await events.message()).toMatchObject({ params: { uri: notes } });
    await (await at(b.url).ask("logging/setLevel", { level: "error" })).result();
    for (const node of nodes)
      expect((await at(node.url).call("chat", { lines: ["x"] })).type).toBe("application/json");
    await (await at(a.url).ask("resources/unsubscribe", { uri: notes })).result();
    b.server.resources.updated(notes);
    c.server.tool("later", "A tool that comes later", () => "now");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    events.cut();
  });

  it("is refused a change of which other nodes can't be told, and has it everywhere once it has asked again", async () => {
    const state = sharedMemory();
    let isAway = false;
    const away = withEvents(state, (events) => ({
      append: (stream, texts, ttlMs) => {
        if (isAway && texts.some((text) => text.includes("session-changed"))) throw new Error("It is away.");
        return events.append(stream, texts, ttlMs);
      },
    }));
    const [a, b] = [await openNode({ state: away }), await openNode({ state })];
    const session = await openSession(a.url, revision);
    const events = await new RawSession(b.url, session.id, revision).listen();
    const subscribe = async (id: string) =>
      (await session.ask("resources/subscribe", { uri: notes }, { id })).result();
    isAway = true;
    expect(await subscribe("first")).toHaveProperty("error");
    isAway = false;
    expect(await subscribe("second")).toHaveProperty("result");
    // The node with the stream has heard of the subscription before it hears of the change.
    await a.server.resources.updated(notes);
    expect(await events.message()).toMatchObject({ params: { uri: notes } });
    events.cut();
  });

  it("has none of the changes that the store did not take, also not later", async () => {
    const state = sharedMemory();
    let isAway = false;
    const { sessions } = state;
    const away: State = {
      ...state,
      sessions: {
        create: (...given) => sessions.create(...given),
        touch: (...given) => sessions.touch(...given),
        remove: (...given) => sessions.remove(...given),
        replace: (...given) => {
          if (isAway) throw new Error("The store is away.");
          return sessions.replace(...given);
        },
      },
    };
    const [a, b] = [await openNode({ state: away }), await openNode({ state })];
    const session = await openSession(a.url, revision);
    const subscribe = async (uri: string) =>
      (await session.ask("resources/subscribe", { uri }, { id: uri })).result();
    await subscribe(notes);
    isAway = true;
    expect(await (await session.ask("resources/unsubscribe", { uri: notes })).result()).toHaveProperty(
      "error",
    );
    expect(await subscribe("fixture://refused")).toHaveProperty("error");
    expect(await (await session.ask("logging/setLevel", { level: "error" })).result()).toHaveProperty(
      "error",
    );
    isAway = false;
    await subscribe("fixture://last");
    const events = await new RawSession(b.url, session.id, revision).listen();
    b.server.log("warning", "still wanted");
    for (const uri of ["fixture://refused", notes, "fixture://last"]) await b.server.resources.updated(uri);
    expect(await events.message()).toMatchObject({ params: { data: "still wanted" } });
    expect(await events.message()).toMatchObject({ params: { uri: notes } });
    expect(await events.message()).toMatchObject({ params: { uri: "fixture://last" } });
    events.cut();
  });

  it("keeps a subscription that was ended and begun again elsewhere, while the store was late to answer", async () => {
    const state = sharedMemory();
    const stored = new Queue<() => void>();
    const { sessions } = state;
    const late: State = {
      ...state,
      sessions: {
        create: (...given) => sessions.create(...given),
        touch: (...given) => sessions.touch(...given),
        remove: (...given) => sessions.remove(...given),
        replace: async (changed, ...given) => {
          const version = await sessions.replace(changed, ...given);
          if (changed.subscriptions.at(-1) === "fixture://late")
            await new Promise<void>((answer) => stored.push(answer));
          return version;
        },
      },
    };
    const [a, b] = [await openNode({ state: late }), await openNode({ state })];
    const session = await openSession(a.url, revision);
    const [here, there] = [session, new RawSession(b.url, session.id, revision)];
    const ask = async (at: RawSession, does: string, uri: string) =>
      (await at.ask(`resources/${does}`, { uri }, { id: `${does} ${uri}` })).result();
    await ask(here, "subscribe", notes);
    const subscribing = ask(here, "subscribe", "fixture://late");
    const answer = await stored.next();
    await ask(there, "unsubscribe", notes);
    await (await here.ask("ping", {}, { id: "ping" })).result();
    answer();
    await subscribing;
    await ask(there, "subscribe", notes);
    await ask(here, "subscribe", "fixture://last");
    await expectUpdates(there, b, [notes, "fixture://last"]);
  });

  it("keeps a subscription that was begun again, though the store takes its end late, of which it said that it failed", async () => {
    const state = sharedMemory();
    const { sessions } = state;
    let endLate: () => unknown = () => {};
    const toState = (replace: State["sessions"]["replace"]): State => ({
      ...state,
      sessions: {
        create: (...given) => sessions.create(...given),
        touch: (...given) => sessions.touch(...given),
        remove: (...given) => sessions.remove(...given),
        replace,
      },
    });
    const failing = toState((changed, ...given) => {
      if (changed.subscriptions.length > 0 || !changed.ready) return sessions.replace(changed, ...given);
      endLate = () => sessions.replace(changed, ...given);
      throw new Error("There was no answer.");
    });
    const other = toState(async (...given) => {
      await endLate();
      return sessions.replace(...given);
    });
    const [a, b] = [await openNode({ state: failing }), await openNode({ state: other })];
    const here = await openSession(b.url, revision);
    const there = new RawSession(a.url, here.id, revision);
    await (await there.ask("resources/subscribe", { uri: notes })).result();
    expect(await (await there.ask("resources/unsubscribe", { uri: notes })).result()).toHaveProperty("error");
    expect(await (await here.ask("resources/subscribe", { uri: notes })).result()).toMatchObject({
      result: {},
    });
    const events = await here.listen();
    await b.server.resources.updated(notes);
    expect(await events.message()).toMatchObject({ params: { uri: notes } });
    events.cut();
  });

  it("keeps a subscription that was begun again elsewhere, though a node was told that it had failed and had it", async () => {
    const state = sharedMemory();
    const { sessions } = state;
    const stored = new Queue<() => void>();
    const unsure: State = {
      ...state,
      sessions: {
        create: (...given) => sessions.create(...given),
        touch: (...given) => sessions.touch(...given),
        remove: (...given) => sessions.remove(...given),
        replace: async (changed, ...given) => {
          const version = await sessions.replace(changed, ...given);
          if (changed.subscriptions.at(-1) !== notes) return version;
          await new Promise<void>((fail) => stored.push(fail));
          throw new Error("There was no answer.");
        },
      },
    };
    const [a, b] = [await openNode({ state: unsure }), await openNode({ state })];
    const here = await openSession(a.url, revision);
    const there = new RawSession(b.url, here.id, revision);
    const subscribe = async (at: RawSession, uri: string) =>
      (await at.ask("resources/subscribe", { uri }, { id: uri })).result();
    const subscribing = subscribe(here, notes);
    const fail = await stored.next();
    // The node reads what it has written before it learns that it has failed.
    await (await here.ask("ping", {}, { id: "ping" })).result();
    fail();
    expect(await subscribing).toHaveProperty("error");
    expect(await subscribe(there, notes)).toHaveProperty("result");
    expect(await subscribe(here, "fixture://last")).toHaveProperty("result");
    await expectUpdates(there, b, [notes, "fixture://last"]);
  });

  it("keeps the level that it had, if the store takes none of two that are set at once", async () => {
    const state = sharedMemory();
    const { sessions } = state;
    let isAway = false;
    let refuse = () => {};
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    let found = 0;
    const away: State = {
      ...state,
      sessions: {
        create: (...given) => sessions.create(...given),
        touch: async (...given) => {
          const session = await sessions.touch(...given);
          // Both have set their level before the store refuses the first.
          if (isAway && ++found === 2) setImmediate(refuse);
          return session;
        },
        remove: (...given) => sessions.remove(...given),
        replace: async (...given) => {
          if (!isAway) return sessions.replace(...given);
          await refused;
          throw new Error("The store is away.");
        },
      },
    };
    const node = await openNode({ state: away });
    const session = await openSession(node.url, revision);
    const set = async (level: string) =>
      (await session.ask("logging/setLevel", { level }, { id: level })).result();
    expect(await set("warning")).toHaveProperty("result");
    isAway = true;
    const answers = await Promise.all([set("error"), set("critical")]);
    for (const answer of answers) expect(answer).toHaveProperty("error");
    isAway = false;
    const events = await session.listen();
    node.server.log("warning", "still wanted");
    node.server.log("emergency", "always wanted");
    expect(await events.message()).toMatchObject({ params: { data: "still wanted" } });
    events.cut();
  });

  it("keeps all changes that are made at once, at all nodes", async () => {
    const { nodes } = await openNodes();
    const session = await openSession(nodes[0].url, revision);
    const at = (url: string) => new RawSession(url, session.id, revision);
    const uris = Array.from({ length: 12 }, (_, index) => `fixture://notes/${index}`);
    await Promise.all(
      uris.map(async (uri, index) => {
        const node = nodes[index % nodes.length] ?? nodes[0];
        const asked = await at(node.url).ask("resources/subscribe", { uri }, { id: index });
        expect((await asked.result()).result).toEqual({});
      }),
    );
    const events = await at(nodes[2].url).listen();
    for (const uri of uris) nodes[1].server.resources.updated(uri);
    const seen: unknown[] = [];
    for (const _ of uris) seen.push((await events.message<{ params: { uri: string } }>())?.params.uri);
    expect(seen).toEqual(uris);
    events.cut();
  });
});
