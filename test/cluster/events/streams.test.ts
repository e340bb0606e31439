import type { State } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory, withEvents } from "../../support/shared-state.ts";
import { openNodes } from "../nodes.ts";

const notes = "fixture://notes";

/** A state that tells which streams are removed. */
function noting(state: State, removed: Queue<string>): State {
  return withEvents(state, (events) => ({
    remove: (stream) => {
      removed.push(stream);
      return events.remove(stream);
    },
  }));
}

describe("the stream of a call of 2025-11-25", () => {
  it("goes on at another node than the one the call runs on, with what was missed and the answer", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const first = (await session.call("wait", { name: "held", talk: true, leave: true }, { id: 9 })).events();
    const priming = await first.next();
    expect(priming?.id).toBeDefined();
    expect(await a.started.next()).toBe("held");
    const rest = await new RawSession(b.url, session.id, "2025-11-25").listen(priming?.id);
    expect(await rest.message()).toMatchObject({ method: "notifications/progress", params: { progress: 1 } });
    a.release("held");
    expect(await rest.message()).toMatchObject({ id: 9, result: { content: [{ text: "released held" }] } });
    expect(await rest.message()).toBeUndefined();
  });

  it("can be left at once, and has an event to come back to", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const left = await (await session.call("wait", { name: "held", leave: true }, { id: 4 })).events().rest();
    expect(left[0]?.id).toBeDefined();
    await a.started.next();
    const rest = await new RawSession(b.url, session.id, "2025-11-25").listen(left[0]?.id);
    a.release("held");
    expect(await rest.messages()).toMatchObject([
      { id: 4, result: { content: [{ text: "released held" }] } },
    ]);
  });

  it("can be read again at any node after its end, from any event, and each event comes once", async () => {
    const { nodes } = await openNodes();
    const [a, b, c] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const events = await (await session.call("steps", { count: 6 })).events().rest();
    const messages = events.filter(({ data }) => data);
    expect(messages).toHaveLength(7);
    for (const [place, { id }] of messages.entries()) {
      for (const { url } of [a, b, c]) {
        const answer = await new RawSession(url, session.id, "2025-11-25").get(id);
        const again = answer.status === 204 ? [] : await answer.events().rest();
        const read = again.filter(({ data }) => data).map(({ data }) => data);
        expect(read).toEqual(messages.slice(place + 1).map(({ data }) => data));
      }
    }
  });

  it("comes whole, however long it is, from the node of the call and from another", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const events = await (await session.call("steps", { count: 600 })).events().rest();
    const messages = events.filter(({ data }) => data);
    expect(messages).toHaveLength(601);
    for (const { url } of [a, b]) {
      const again = await (await new RawSession(url, session.id, "2025-11-25").get(messages[0]?.id))
        .events()
        .rest();
      expect(again.filter(({ data }) => data)).toEqual(messages.slice(1));
    }
  });

  it("brings each event once, also when the store has taken one twice", async () => {
    const state = sharedMemory();
    // A store that stores an append twice, as one whose answer was so late that it was asked again.
    const twice = withEvents(state, (events) => ({
      append: async (stream, texts, ttlMs) => {
        const offset = await events.append(stream, texts, ttlMs);
        return texts.some((text) => text.includes("progress")) ? events.append(stream, texts, ttlMs) : offset;
      },
    }));
    const { nodes } = await openNodes({ state: twice });
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const events = await (await session.call("steps", { count: 4 })).events().rest();
    const messages = events.filter(({ data }) => data).map(({ data }) => data);
    expect(new Set(messages).size).toBe(5);
    expect(messages).toHaveLength(5);
    for (const { url } of [a, b])
      for (const [place, { id }] of events.filter(({ data }) => data).entries()) {
        const answer = await new RawSession(url, session.id, "2025-11-25").get(id);
        const again = answer.status === 204 ? [] : await answer.events().rest();
        const read = again.filter(({ data }) => data).map(({ data }) => data);
        expect(read).toEqual(messages.slice(place + 1));
      }
  });

  it("has one reader at a node: the newest", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const [priming] = await (await session.call("wait", { name: "held", leave: true }, { id: 4 }))
      .events()
      .rest();
    const other = new RawSession(b.url, session.id, "2025-11-25");
    const first = await other.listen(priming?.id);
    const second = await other.listen(priming?.id);
    expect(await first.messages()).toEqual([]);
    a.release("held");
    expect(await second.messages()).toMatchObject([{ id: 4 }]);
  });

  it("is one of at most 16 that a session reads at a node: the oldest ends", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const other = new RawSession(b.url, session.id, "2025-11-25");
    const readers: Awaited<ReturnType<RawSession["listen"]>>[] = [];
    for (let call = 0; call < 17; call++) {
      const asked = await session.call("wait", { name: `held ${call}`, leave: true }, { id: call });
      const [priming] = await asked.events().rest();
      readers.push(await other.listen(priming?.id));
    }
    expect(await readers[0]?.messages()).toEqual([]);
    for (let call = 0; call < 17; call++) a.release(`held ${call}`);
    for (const [call, reader] of readers.entries())
      if (call > 0) expect(await reader.messages()).toMatchObject([{ id: call }]);
  });

  it("is removed from the store when its session is ended at another node", async () => {
    const removed = new Queue<string>();
    const { nodes } = await openNodes({ state: noting(sharedMemory(), removed) });
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const [priming] = await (await session.call("steps", { count: 2 })).events().rest();
    const [, stream = "none"] = priming?.id?.split("-") ?? [];
    await new RawSession(b.url, session.id, "2025-11-25").delete();
    let key = await removed.next();
    while (!key.includes(stream)) key = await removed.next();
    expect(key).toContain(session.id);
  });

  it("is nothing to another session, nor to one that names a stream which never was", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const stranger = await openSession(b.url, "2025-11-25");
    const [priming] = await (await session.call("steps", { count: 2 })).events().rest();
    expect((await stranger.get(priming?.id)).status).toBe(400);
    const [tag, stream, offset] = priming?.id?.split("-") ?? [];
    const forged = `${stranger.id.slice(0, 8)}-${stream}-${offset}`;
    expect((await stranger.get(forged)).status).toBe(400);
    const unknown = `${tag}-${stream?.replace(/_.*/, "_ffff")}-0`;
    expect((await new RawSession(b.url, session.id, "2025-11-25").get(unknown)).status).toBe(400);
  });
});

describe.each(["2025-03-26", "2025-06-18", "2025-11-25"] as const)(
  "the standalone stream of %s",
  (revision) => {
    it("goes on at any node after the event that was seen last, and nothing comes twice", async () => {
      const { nodes } = await openNodes();
      const session = await openSession(nodes[0].url, revision);
      await (await session.ask("resources/subscribe", { uri: notes })).result();
      let last: string | undefined;
      for (const [round, node] of [...nodes, ...nodes].entries()) {
        const events = await new RawSession(node.url, session.id, revision).listen(last);
        const writer = nodes[(round + 1) % nodes.length];
        writer?.server.resources.updated(notes);
        let event = await events.next();
        while (event !== undefined && !event.data) event = await events.next();
        expect(JSON.parse(event?.data ?? "{}")).toMatchObject({ params: { uri: notes } });
        last = event?.id;
        // Ends at this node as soon as the next one has it.
        if (round % 2 === 0) events.cut();
      }
    });

    it("brings what happened while nobody read it, once", async () => {
      const { nodes } = await openNodes();
      const [a, b, c] = nodes;
      const session = await openSession(a.url, revision);
      const uris = ["fixture://notes", "fixture://notes/2", "fixture://notes/3"];
      for (const uri of uris) await (await session.ask("resources/subscribe", { uri })).result();
      for (const uri of [...uris, ...uris]) b.server.resources.updated(uri);
      const events = await new RawSession(c.url, session.id, revision).listen();
      const seen: unknown[] = [];
      for (const _ of uris) seen.push((await events.message<{ params: { uri: string } }>())?.params.uri);
      expect(new Set(seen)).toEqual(new Set(uris));
      events.cut();
    });

    it("moves to the node that is asked for it last", async () => {
      const { nodes } = await openNodes();
      const [a, b] = nodes;
      const session = await openSession(a.url, revision);
      const first = await session.listen();
      const second = await new RawSession(b.url, session.id, revision).listen();
      expect(await first.message()).toBeUndefined();
      a.server.tool("later", "A tool that comes later", () => "now");
      expect(await second.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      second.cut();
    });
  },
);
