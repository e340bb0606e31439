import type { State } from "allspeak/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasPrograms, OwnServer } from "./own-server.ts";
import { openState, until } from "./support.ts";

const longMs = 600_000;

/** Does something as soon as the server is there again. */
function again<T>(work: () => Promise<T>): Promise<T> {
  return until(() => work().catch(() => undefined));
}

describe.skipIf(!hasPrograms)("a PostgreSQL state whose server", () => {
  it("is killed and started again fails meanwhile, and goes on by itself with what it had", async () => {
    const server = await OwnServer.start();
    const state = openState("own", {}, server.url);
    await state.values.put("key", "kept", longMs);
    await server.kill();
    await expect(state.values.get("key")).rejects.toThrow();
    await expect(state.sessions.touch("id", longMs)).rejects.toThrow();
    await expect(state.events.append("stream", ["x"], longMs)).rejects.toThrow();
    await server.start();
    expect(await again(async () => state.values.get("key"))).toBe("kept");
  });

  it("stands still fails within its time, and goes on by itself", { timeout: 30_000 }, async () => {
    const server = await OwnServer.start();
    const state = openState("own", { timeoutMs: 300, maxConnections: 3 }, server.url);
    await state.values.put("key", "kept", longMs);
    const thaw = server.freeze();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => state.values.get("key")));
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    thaw();
    expect(await again(async () => state.values.get("key"))).toBe("kept");
  });

  it("was away tells everybody who watches once, since hints were lost", async () => {
    const server = await OwnServer.start();
    const [here, there] = [openState("own", {}, server.url), openState("own", {}, server.url)];
    const hints = { one: 0, other: 0 };
    onTestFinished(here.events.watch("one", () => hints.one++));
    onTestFinished(here.events.watch("other", () => hints.other++));
    await until(async () => {
      await there.events.append("one", ["x"], longMs);
      return hints.one > 0;
    });
    expect(hints.other).toBe(0);
    await server.kill();
    await server.start();
    await until(async () => hints.other > 0);
    const before = hints.one;
    await until(async () => {
      await again(async () => there.events.append("one", ["x"], longMs));
      return hints.one > before;
    });
    expect(hints.other).toBe(1);
  });

  it("is killed again and again loses and doubles nothing that was acknowledged", {
    timeout: 60_000,
  }, async () => {
    const server = await OwnServer.start();
    const nodes = [1, 2, 3].map(() => openState("own", { maxConnections: 4 }, server.url));
    await nodes[0]?.values.get("ready");
    const history = {
      acknowledged: [] as string[],
      completed: new Map<string, number>(),
      isOver: false,
      isWritten: false,
    };
    const work = nodes.flatMap((node, at) => [
      append(node, `a${at}`, history),
      append(node, `b${at}`, history),
      complete(node, history),
    ]);
    const reader = read(nodes[0] as State, history);
    for (let round = 0; round < 3; round++) {
      const target = history.acknowledged.length + 60;
      await until(async () => history.acknowledged.length >= target);
      await server.kill();
      await server.start();
    }
    history.isOver = true;
    await Promise.all(work);
    history.isWritten = true;
    const seen = await reader;

    const stored =
      (await again(async () => nodes[1]?.events.after("log", "0")))?.map(({ text }) => text) ?? [];
    expect(seen).toEqual(stored);
    expect(new Set(stored).size).toBe(stored.length);
    expect(history.acknowledged.filter((text) => !stored.includes(text))).toEqual([]);
    for (const writer of ["a0", "b0", "a1", "b1", "a2", "b2"]) {
      const own = stored.filter((text) => text.startsWith(`${writer} `)).map((text) => Number(text.slice(3)));
      expect(own).toEqual([...own].sort((one, other) => one - other));
    }
    expect([...history.completed.values()].every((times) => times === 1)).toBe(true);
    expect(history.completed.size).toBeGreaterThan(0);
  });
});

interface History {
  readonly acknowledged: string[];
  /** How often each task was acknowledged as completed. */
  readonly completed: Map<string, number>;
  isOver: boolean;
  /** True once every writer has stopped. */
  isWritten: boolean;
}

async function append({ events }: State, writer: string, history: History): Promise<void> {
  for (let at = 0; !history.isOver; at++) {
    const text = `${writer} ${at}`;
    try {
      await events.append("log", [text], longMs);
      history.acknowledged.push(text);
    } catch {
      // It may have been stored or not; it is never sent again.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

let created = 0;

async function complete({ tasks }: State, history: History): Promise<void> {
  while (!history.isOver) {
    try {
      const task = { queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
      await tasks.create({ id: `t${created++}`, ...task }, 100_000);
      const claim = await tasks.claim("q", longMs);
      if (claim === undefined) continue;
      const isSaved = await tasks.save(claim, {
        ended: { status: "completed", result: { by: claim.token } },
      });
      if (isSaved) history.completed.set(claim.id, (history.completed.get(claim.id) ?? 0) + 1);
    } catch {
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

/** Reads the log from each offset on, as a node does, until the end. */
async function read({ events }: State, history: History): Promise<string[]> {
  const seen: string[] = [];
  let offset = "0";
  for (;;) {
    const isLast = history.isWritten;
    const next = (await await again(async () => events.after("log", offset, 50))) ?? [];
    for (const event of next) {
      seen.push(event.text);
      offset = event.offset;
    }
    if (isLast && next.length === 0) return seen;
  }
}
