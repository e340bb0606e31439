import type { State } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory, withEvents } from "../../support/shared-state.ts";
import { openNode } from "../nodes.ts";

const revision = "2025-11-25";
const uris = ["fixture://notes", "fixture://notes/2", "fixture://notes/3"];
const [first = "", second = "", last = ""] = uris;

interface Updated {
  readonly params: { readonly uri: string };
}

/** An append of the first event that waits for the test. */
interface Attempt {
  /** Stores it; the sender does not get the answer. */
  store(): Promise<void>;
  /** Tells the sender that it failed. */
  fail(): void;
  /** Stores it, and the sender gets the answer. */
  succeed(): void;
}

/** A way to the store on which appends of the first event wait for the test. */
function holdAppends(state: State): { readonly state: State; readonly attempts: Queue<Attempt> } {
  const attempts = new Queue<Attempt>();
  const held = withEvents(state, (events) => ({
    append: async (...given) => {
      if (!given[1].some((text) => text.includes(`"${first}"`))) return events.append(...given);
      return new Promise((resolve, reject) =>
        attempts.push({
          store: async () => void (await events.append(...given)),
          fail: () => reject(new Error("The answer was lost.")),
          succeed: () => resolve(events.append(...given)),
        }),
      );
    },
  }));
  return { state: held, attempts };
}

/** A session that has subscribed to all events, and a sender whose first event is held. */
async function openSender() {
  const state = sharedMemory();
  const { state: way, attempts } = holdAppends(state);
  const sender = await openNode({ state: way });
  const reader = await openNode({ state });
  const session = await openSession(reader.url, revision);
  for (const uri of uris) await (await session.ask("resources/subscribe", { uri })).result();
  return { state, attempts, sender, reader, session };
}

/** The URIs that come over a stream up to the last one. */
async function readUris(events: Awaited<ReturnType<RawSession["listen"]>>): Promise<string[]> {
  const seen: string[] = [];
  while (seen.at(-1) !== last) seen.push((await events.message<Updated>())?.params.uri ?? "none");
  events.cut();
  return seen;
}

/** The id of the next event with a message. */
async function nextId(events: Awaited<ReturnType<RawSession["listen"]>>): Promise<string | undefined> {
  for (let event = await events.next(); event; event = await events.next()) if (event.data) return event.id;
  return undefined;
}

describe("an event that was stored twice, because the sender got no answer", () => {
  it("comes once to a client that resumes between the two, at a node that began between them", async () => {
    const { state, attempts, sender, reader, session } = await openSender();
    const listening = await session.listen();
    const sent = sender.server.resources.updated(first);
    const attempt = await attempts.next();
    await attempt.store();
    const id = await nextId(listening);
    listening.cut();
    const late = await openNode({ state });
    const resumed = await new RawSession(late.url, session.id, revision).listen(id);
    attempt.fail();
    (await attempts.next()).succeed();
    await sent;
    await reader.server.resources.updated(last);
    expect(await readUris(resumed)).toEqual([last]);
  });

  it("comes once to a client that resumes between the two, from the store", async () => {
    const { state, attempts, sender, reader, session } = await openSender();
    const listening = await session.listen();
    const sent = sender.server.resources.updated(first);
    const attempt = await attempts.next();
    await attempt.store();
    const id = await nextId(listening);
    listening.cut();
    await reader.server.resources.updated(second);
    attempt.fail();
    (await attempts.next()).succeed();
    await sent;
    await reader.server.resources.updated(last);
    const late = await openNode({ state });
    const resumed = await new RawSession(late.url, session.id, revision).listen(id);
    expect(await readUris(resumed)).toEqual([second, last]);
  });

  it("comes once, also when the first attempt arrives after the second", async () => {
    const { state, attempts, sender, reader, session } = await openSender();
    const listening = await session.listen();
    const sent = sender.server.resources.updated(first);
    const late = await attempts.next();
    late.fail();
    (await attempts.next()).succeed();
    await sent;
    const id = await nextId(listening);
    listening.cut();
    const node = await openNode({ state });
    const resumed = await new RawSession(node.url, session.id, revision).listen(id);
    await late.store();
    await reader.server.resources.updated(last);
    expect(await readUris(resumed)).toEqual([last]);
  });

  it("comes to a client that was away for both", async () => {
    const { state, attempts, sender, reader, session } = await openSender();
    const listening = await session.listen();
    await reader.server.resources.updated(second);
    const id = await nextId(listening);
    listening.cut();
    const sent = sender.server.resources.updated(first);
    const attempt = await attempts.next();
    await attempt.store();
    attempt.fail();
    (await attempts.next()).succeed();
    await sent;
    await reader.server.resources.updated(last);
    const late = await openNode({ state });
    const resumed = await new RawSession(late.url, session.id, revision).listen(id);
    expect(await readUris(resumed)).toEqual([first, last]);
  });
});
