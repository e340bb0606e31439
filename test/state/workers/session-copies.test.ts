import { memoryState, type State, type StoredSession } from "allspeak/http";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { IpcChannel } from "../../../src/node/workers/ipc-channel.ts";
import { remoteState } from "../../../src/node/workers/remote-state.ts";
import { hostState } from "../../../src/node/workers/state-host.ts";
import { sharedMemory } from "../../support/shared-state.ts";
import { createIpcEnds, type Delivery } from "./ipc-ends.ts";

const ttlMs = 60_000;

function toSession(owner = "alice"): StoredSession {
  const client = { info: undefined, capabilities: {} };
  const members = { revision: "2025-11-25", ready: true, logLevel: undefined, lists: [], subscriptions: [] };
  return { id: "one", owner, client, read: "0", ...members };
}

/** A worker of a primary that holds this state. It can be stopped: messages for it wait. */
function startWorker(state: State, later?: Delivery) {
  let isStopped = false;
  const waiting: (() => void)[] = [];
  const [primary, worker] = createIpcEnds((deliver) => {
    const arrive = () => (isStopped ? waiting.push(deliver) : deliver());
    if (later) later(arrive);
    else setImmediate(arrive);
  });
  const exit = hostState(new IpcChannel(primary), () => Promise.resolve(state));
  const { sessions } = remoteState(new IpcChannel(worker), 1);
  const stop = () => {
    isStopped = true;
  };
  const goOn = () => {
    isStopped = false;
    for (const deliver of waiting.splice(0)) deliver();
  };
  return { sessions, exit, stop, goOn };
}

/** Two workers that have found the same session, so that both hold a copy. */
async function startTwo(state: State = memoryState()) {
  const [a, b] = [startWorker(state), startWorker(state)];
  const version = (await a.sessions.create(toSession(), ttlMs)) ?? "";
  for (const { sessions } of [a, b]) await sessions.touch("one", ttlMs);
  return { a, b, version };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a worker that has found a session", () => {
  it("finds it at once the next time, without asking", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { a, b, version } = await startTwo();
    for (const { sessions } of [a, b])
      expect(sessions.touch("one", ttlMs)).toEqual({ session: toSession(), version });
  });

  it("asks again when another wanted it to live for another time", async () => {
    const { a, b } = await startTwo();
    await a.sessions.touch("one", 2 * ttlMs);
    expect(b.sessions.touch("one", ttlMs)).toBeInstanceOf(Promise);
  });

  it("asks again when it has not heard from the primary for a while", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { a } = await startTwo();
    vi.advanceTimersByTime(300);
    expect(a.sessions.touch("one", ttlMs)).toBeInstanceOf(Promise);
  });

  it("renews its right to the copy before it ends, while it uses it", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { a } = await startTwo();
    for (let turn = 0; turn < 10; turn++) {
      vi.advanceTimersByTime(200);
      expect(a.sessions.touch("one", ttlMs)).not.toBeInstanceOf(Promise);
      // Answered after the renewal, which was sent before.
      await a.sessions.touch("unknown", ttlMs);
    }
  });

  it("keeps it alive for as long as it uses it", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] });
    const { a } = await startTwo();
    for (let turn = 0; turn < 40; turn++) {
      vi.advanceTimersByTime(ttlMs / 20);
      expect(await a.sessions.touch("one", ttlMs)).toBeDefined();
    }
  });

  it("finds it no more once its time is over", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] });
    const { a, b } = await startTwo();
    vi.advanceTimersByTime(1.2 * ttlMs);
    for (const { sessions } of [a, b]) expect(await sessions.touch("one", ttlMs)).toBeUndefined();
  });
});

describe("a change of a session by one worker", () => {
  it("is found by every worker as soon as it is acknowledged", async () => {
    const { a, b, version } = await startTwo();
    const next = await a.sessions.replace(toSession("bob"), version, ttlMs);
    for (const { sessions } of [a, b])
      expect(await sessions.touch("one", ttlMs)).toEqual({ session: toSession("bob"), version: next });
  });

  it("is found by every worker as soon as it is acknowledged, when it removes the session", async () => {
    const { a, b } = await startTwo();
    expect(await a.sessions.remove("one")).toBe(true);
    for (const { sessions } of [a, b]) expect(await sessions.touch("one", ttlMs)).toBeUndefined();
  });

  it("is found by the worker that made it, also when that one has looked for the session at the same time", async () => {
    const state = memoryState();
    const { sessions } = startWorker(state);
    const version = (await sessions.create(toSession(), ttlMs)) ?? "";
    const both = [sessions.touch("one", ttlMs), sessions.replace(toSession("bob"), version, ttlMs)];
    await Promise.all(both);
    expect((await sessions.touch("one", ttlMs))?.session.owner).toBe("bob");
  });

  it("does not wait for a worker that has ended", async () => {
    // The end of a lease never comes.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { a, b } = await startTwo();
    b.stop();
    const removing = a.sessions.remove("one");
    // The primary has begun with it, since it answers what came later.
    await a.sessions.touch("unknown", ttlMs);
    b.exit();
    expect(await removing).toBe(true);
  });

  it("waits for a worker that was stopped until that one may not use its copy any more", async () => {
    const { a, b } = await startTwo();
    b.stop();
    let isRemoved = false;
    const removing = Promise.resolve(a.sessions.remove("one")).finally(() => {
      isRemoved = true;
    });
    while (!isRemoved) {
      const found = b.sessions.touch("one", ttlMs);
      // One that asks has lost its right to the copy.
      if (found instanceof Promise) break;
      await new Promise((resolve) => setImmediate(resolve));
      if (isRemoved) expect(b.sessions.touch("one", ttlMs)).toBeInstanceOf(Promise);
    }
    expect(await removing).toBe(true);
    const late = b.sessions.touch("one", ttlMs);
    expect(late).toBeInstanceOf(Promise);
    b.goOn();
    expect(await late).toBeUndefined();
  });
});

it("a session lives no longer in a store that answers later, where nobody holds a copy", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const { a } = await startTwo(sharedMemory());
  vi.advanceTimersByTime(ttlMs - 1);
  expect(await a.sessions.touch("one", ttlMs)).toBeDefined();
  vi.advanceTimersByTime(ttlMs + 1);
  expect(await a.sessions.touch("one", ttlMs)).toBeUndefined();
});

it("no worker finds what was before an acknowledged change, whatever the order in which messages arrive", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (schedule) => {
      const state = memoryState();
      const later: Delivery = (deliver) => void schedule.schedule(Promise.resolve(), "message").then(deliver);
      const workers = [startWorker(state, later), startWorker(state, later), startWorker(state, later)];
      let acknowledged = 0;
      const change = async ({ sessions }: (typeof workers)[number], actor: number) => {
        for (let left = 3; left > 0; ) {
          const before = acknowledged;
          const found = await sessions.touch("one", ttlMs);
          expect(Number(found?.session.owner)).toBeGreaterThanOrEqual(before);
          await schedule.schedule(Promise.resolve(), `actor ${actor}`);
          if (found === undefined || actor === 2) {
            left--;
            continue;
          }
          const next = Number(found.session.owner) + 1;
          if (!(await sessions.replace(toSession(`${next}`), found.version, ttlMs))) continue;
          acknowledged = Math.max(acknowledged, next);
          left--;
        }
      };
      await state.sessions.create(toSession("0"), ttlMs);
      await schedule.waitFor(
        Promise.all([...workers, ...workers].map((worker, at) => change(worker, at % 3))),
      );
      expect(acknowledged).toBe(12);
      for (const { exit } of workers) exit();
    }),
    { numRuns: 100 },
  );
});
