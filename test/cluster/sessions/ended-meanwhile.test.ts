import type { State } from "allspeak/http";
import { expect, it } from "vitest";
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
  const { open: answer, opened } = createGate();
  const touched = new Queue<string>();
  let held: string | undefined;
  let reads = 0;
  const { b, open } = await openTwo((state) => ({
    ...state,
    sessions: new Proxy(state.sessions, {
      get: (sessions, name) => {
        const member = Reflect.get(sessions, name);
        if (name !== "touch") return member;
        return async (id: string, ttlMs: number) => {
          const found = await sessions.touch(id, ttlMs);
          if (held === undefined || !id.endsWith(held) || ++reads !== place) return found;
          touched.push(id);
          await opened;
          return found;
        };
      },
    }),
  }));
  const [first, { session, atB }] = [await open(), await open()];
  const running = first.atB.call("wait", { name: "first" });
  await b.started.next();
  held = session.id;
  const calling = atB.call("wait", { name: "late" });
  await touched.next();
  expect((await session.delete()).status).toBe(204);
  expect((await first.session.delete()).status).toBe(204);
  // Messages come in their order, so the node has got the first one, too.
  expect(await b.aborted.next()).toBe("first");
  await running;
  answer();
  expect((await calling).status).toBe(404);
});

it("a question that is asked while its session ends has no answer to wait for", async () => {
  const { open: store, opened } = createGate();
  const asked = new Queue<string>();
  const state = sharedMemory();
  const values = new Proxy(state.values, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (name !== "put") return member;
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
  await expect.poll(() => state.values.get(question)).toBeUndefined();
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
