import { type State, streamStart } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { Queue } from "../../support/queue.ts";
import { withEvents } from "../../support/shared-state.ts";
import { backends } from "../backends.ts";
import { openNode } from "../nodes.ts";

const revision = "2025-11-25";

/** The state of a node, which sees no control messages once it is deaf, and the streams that the node has stored. */
function noteStreams(state: State) {
  const streams = new Set<string>();
  const removed = new Queue<string>();
  let isDeaf = false;
  const noted = withEvents(state, (events) => ({
    append: (stream, texts, ttlMs) => {
      // Those of calls have the name of their node.
      if (stream.includes("_")) streams.add(stream);
      return events.append(stream, texts, ttlMs);
    },
    remove: async (stream) => {
      await events.remove(stream);
      if (streams.has(stream)) removed.push(stream);
    },
    after: (stream, ...given) => (isDeaf && stream.endsWith("control") ? [] : events.after(stream, ...given)),
  }));
  const left = async () => {
    const last = await Promise.all([...streams].map((stream) => state.events.last(stream)));
    return [...streams].filter((_, at) => last[at] !== streamStart);
  };
  const deafen = () => {
    isDeaf = true;
  };
  return { state: noted, streams, removed, left, deafen };
}

/** A session of node A with a call that runs at node B, and has sent something unless it is silent. */
async function openRunning(connect: () => State | Promise<State>, isSilent = false) {
  const { state, streams, removed, left, deafen } = noteStreams(await connect());
  const [a, b] = [await openNode({ state: await connect() }), await openNode({ state })];
  const session = await openSession(a.url, revision);
  const atB = new RawSession(b.url, session.id, revision);
  // Its answer is an event in any case.
  const headers = { accept: "text/event-stream" };
  const running = atB.call("wait", { name: "held", talk: !isSilent }, { headers });
  await b.started.next();
  expect(await left()).toHaveLength(isSilent ? 0 : 1);
  /** Settles when the call has ended, its stream was removed, and the node is gone: what is left now stays. */
  const end = async () => {
    expect(await b.aborted.next()).toBe("held");
    await (await running).events().messages();
    await b.idle();
    await b.close();
    if (streams.size > 0) await removed.next();
  };
  return { session, atB, end, left, deafen };
}

describe.each(backends)(
  "a session over $name that ends while another node runs a call of it",
  ({ isThere, share }) => {
    it.skipIf(!isThere)("leaves no stream in the store", { timeout: 30_000 }, async () => {
      const { session, end, left } = await openRunning(share());
      expect((await session.delete()).status).toBe(204);
      await end();
      expect(await left()).toEqual([]);
    });

    it.skipIf(!isThere)("leaves no stream for an answer that nobody waits for", async () => {
      const { session, end, left } = await openRunning(share(), true);
      expect((await session.delete()).status).toBe(204);
      await end();
      expect(await left()).toEqual([]);
    });

    it.skipIf(!isThere)(
      "leaves none where that node finds out before it is told",
      { timeout: 30_000 },
      async () => {
        const { session, atB, end, left, deafen } = await openRunning(share());
        deafen();
        expect((await session.delete()).status).toBe(204);
        expect((await atB.ask("ping")).status).toBe(404);
        await end();
        expect(await left()).toEqual([]);
      },
    );
  },
);
