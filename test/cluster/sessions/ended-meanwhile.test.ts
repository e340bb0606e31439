import type { State } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory, withEvents } from "../../support/shared-state.ts";
import { openNode } from "../nodes.ts";

const revision = "2025-11-25";

/** Two nodes, the second of which sees the state in its own way. */
async function openTwo(toSeen: (state: State) => State) {
  const state = sharedMemory();
  const [a, b] = [await openNode({ state }), await openNode({ state: toSeen(state) })];
  const open = async () => {
    const session = await openSession(a.url, revision);
    return { session, atB: new RawSession(b.url, session.id, revision) };
  };
  return { b, open };
}

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const isSame = (id: string, held: string | undefined) => held !== undefined && id.endsWith(held);

/** Waits until the test calls the function that it gets. */
function holdAt(queue: Queue<() => void>): Promise<void> {
  return new Promise((resolve) => queue.push(resolve));
}

/** The same state, which calls a function after each look for a session. */
function withTouch(state: State, onTouched: (id: string) => Promise<void>): State {
  const { sessions } = state;
  const get = (target: typeof sessions, name: PropertyKey) => {
    if (name !== "touch") return Reflect.get(target, name);
    return async (id: string, ttlMs: number) => {
      const found = await target.touch(id, ttlMs);
      await onTouched(id);
      return found;
    };
  };
  return { ...state, sessions: new Proxy(sessions, { get }) };
}

/** The state of a node that finds the end of the control messages late, and the streams that it has begun to read. */
function withLateControl(opened: Promise<void>) {
  const read = new Queue<string>();
  const toSeen = (state: State) =>
    withEvents(state, (events) => ({
      last: async (stream) => {
        if (!stream.endsWith("control")) return events.last(stream);
        read.push("control");
        await opened;
        return events.last(stream);
      },
      after: (stream, ...given) => {
        if (stream.endsWith("bus")) read.push("bus");
        return events.after(stream, ...given);
      },
    }));
  return { read, toSeen };
}

it("a node that does not follow the others yet begins no call of a session that they end", async () => {
  const { open: follow, opened } = createGate();
  const { open } = await openTwo(withLateControl(opened).toSeen);
  const { session, atB } = await open();
  const calling = atB.call("wait", { name: "late" });
  expect((await session.delete()).status).toBe(204);
  follow();
  expect((await calling).status).toBe(404);
});

it("a node that follows events alone begins no call of a session that others end", async () => {
  const { open: follow, opened } = createGate();
  const { read, toSeen } = withLateControl(opened);
  const { open } = await openTwo(toSeen);
  const [first, { session, atB }] = [await open(), await open()];
  const asking = first.atB.ask("ping");
  expect(await read.next()).toBe("control");
  // Its client says that it is ready, which the nodes learn by an event.
  await open();
  expect(await read.next()).toBe("bus");
  const calling = atB.call("wait", { name: "late" });
  expect((await session.delete()).status).toBe(204);
  follow();
  expect((await asking).status).toBe(200);
  expect((await calling).status).toBe(404);
});

it.each([
  ["looks for it", 1],
  ["takes it up", 2],
])("a session that ends while another node %s begins no call there", async (_, place) => {
  const touched = new Queue<() => void>();
  let held: string | undefined;
  let reads = 0;
  const { b, open } = await openTwo((state) =>
    withTouch(state, async (id) => (isSame(id, held) && ++reads === place ? holdAt(touched) : undefined)),
  );
  const [first, { session, atB }] = [await open(), await open()];
  const running = first.atB.call("wait", { name: "first" });
  await b.started.next();
  held = session.id;
  const calling = atB.call("wait", { name: "late" });
  const answer = await touched.next();
  expect((await session.delete()).status).toBe(204);
  expect((await first.session.delete()).status).toBe(204);
  // Messages come in their order, so the node has got the first one, too.
  expect(await b.aborted.next()).toBe("first");
  await running;
  answer();
  expect((await calling).status).toBe(404);
});

describe.each([
  ["the stream beside its calls", (session: RawSession) => session.get()],
  ["a call", (session: RawSession) => session.call("wait", { name: "late" })],
])("%s", (_, ask) => {
  it("does not begin in a session that ends right before, or is over at once", {
    timeout: 40_000,
  }, async () => {
    const [touched, ended] = [new Queue<() => void>(), new Queue<() => void>()];
    let held: string | undefined;
    const { open } = await openTwo((state) =>
      withEvents(
        withTouch(state, async (id) => (isSame(id, held) ? holdAt(touched) : undefined)),
        (events) => ({
          after: async (stream, ...given) => {
            const found = await events.after(stream, ...given);
            if (held !== undefined && stream.endsWith("control") && found?.length) await holdAt(ended);
            return found;
          },
        }),
      ),
    );
    // The node learns of the end in any of so many steps of its answer.
    for (let steps = -2; steps <= 20; steps++) {
      const { session, atB } = await open();
      await (await atB.ask("ping")).text();
      held = session.id;
      const asking = ask(atB);
      const find = await touched.next();
      expect((await session.delete()).status).toBe(204);
      const end = await ended.next();
      held = undefined;
      const [first, second] = steps < 0 ? [end, find] : [find, end];
      first();
      for (let step = 0; step < Math.abs(steps); step++) await undefined;
      second();
      const answer = await asking;
      if (answer.status === 200) await answer.text();
      else expect(answer.status).toBe(404);
    }
  });
});

it("a question that is asked while its session ends has no answer to wait for", async () => {
  const { open: store, opened } = createGate();
  const asked = new Queue<string>();
  const removed = new Queue<string>();
  const state = sharedMemory();
  const values = new Proxy(state.values, {
    get: (target, name) => {
      if (name === "remove")
        return async (key: string) => {
          const wasThere = await target.remove(key);
          if (wasThere) removed.push(key);
          return wasThere;
        };
      if (name !== "put") return Reflect.get(target, name);
      return async (key: string, value: string, ttlMs: number) => {
        if (key.includes("question/")) {
          asked.push(key);
          await opened;
        }
        return target.put(key, value, ttlMs);
      };
    },
  });
  const node = await openNode({ state: { ...state, values } });
  const session = await openSession(node.url, revision, { capabilities: { elicitation: {} } });
  const calling = session.call("ask");
  const question = await asked.next();
  expect((await session.delete()).status).toBe(204);
  store();
  await node.idle();
  await (await calling).text();
  expect(await removed.next()).toBe(question);
});

it("a stream that a client comes back to while its session ends is over", async () => {
  const { open: answer, opened } = createGate();
  const resumed = new Queue<string>();
  let isHeld = false;
  const state = withEvents(sharedMemory(), (events) => ({
    after: async (stream, ...given) => {
      const found = await events.after(stream, ...given);
      if (!isHeld || !stream.includes("_")) return found;
      resumed.push(stream);
      await opened;
      return found;
    },
  }));
  const node = await openNode({ state });
  const session = await openSession(node.url, revision);
  const events = (await session.call("wait", { name: "held", talk: true })).events();
  const first = await events.next();
  await node.started.next();
  events.cut();
  isHeld = true;
  const resuming = session.get(first?.id);
  await resumed.next();
  expect((await session.delete()).status).toBe(204);
  answer();
  const rest = await resuming;
  expect(await rest.events().messages()).toEqual([]);
});

it("a session whose streams are being removed can't be taken up again", async () => {
  const { open: remove, opened } = createGate();
  const removing = new Queue<string>();
  const state = withEvents(sharedMemory(), (events) => ({
    remove: async (stream) => {
      removing.push(stream);
      await opened;
      return events.remove(stream);
    },
  }));
  const [a, b] = [await openNode({ state }), await openNode({ state })];
  const session = await openSession(a.url, revision);
  const events = (await session.call("wait", { name: "held", talk: true })).events();
  const first = await events.next();
  await a.started.next();
  const deleting = session.delete();
  await removing.next();
  expect((await session.get(first?.id)).status).toBe(404);
  expect((await new RawSession(b.url, session.id, revision).get(first?.id)).status).toBe(404);
  remove();
  expect((await deleting).status).toBe(204);
});
