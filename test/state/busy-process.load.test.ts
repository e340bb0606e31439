// A process that is busy reads an answer late. That says nothing about its store.
import type { State } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { withAvailability } from "../../src/state/store-availability.ts";
import { backends } from "../cluster/backends.ts";
import { hasNats, openState as openNats } from "./nats/support.ts";
import { connectors, hasRedis, openState } from "./redis/support.ts";

const longMs = 600_000;

/** Keeps this process from everything else for a while. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Operations of which some take several round trips. */
function askAll({ sessions, values, events, tasks }: State): Promise<unknown[]> {
  const task = { id: crypto.randomUUID(), queue: "q", owner: "o", lister: "l", ttlMs: longMs };
  return Promise.all([
    sessions.touch("none", longMs),
    values.put("a", "kept", longMs),
    events.append("stream", ["one"], longMs),
    tasks.create({ ...task, pollIntervalMs: 1, work: {} }, 100),
  ]);
}

describe.each(backends)(
  "$name, from a process that is busy for longer than a store may take",
  ({ isThere, share }) => {
    it.skipIf(!isThere)("is not taken for away", { timeout: 30_000 }, async () => {
      const state = withAvailability(await share()());
      await askAll(state);
      const asked = askAll(state);
      block(1_200);
      await asked;
      expect(await state.values.get("a")).toBe("kept");
    });
  },
);

const own = Object.entries(connectors).filter(([way]) => way.startsWith("a URL"));

describe.skipIf(!hasRedis).each(own)("a connection to Redis, by %s,", (_, connect) => {
  it("is not closed because the process is busy", { timeout: 30_000 }, async () => {
    const connector = await connect();
    const opened = await connector.openForCommands({ onMessage: () => {}, onClose: () => {} });
    const { values } = openState({ ...connector, openForCommands: async () => opened });
    const asked = Promise.all(Array.from({ length: 100 }, () => values.get("a")));
    // Until the commands are out.
    await new Promise((resolve) => setImmediate(resolve));
    block(1_200);
    expect(new Set(await asked)).toEqual(new Set([undefined]));
  });

  it("has its time from when it is open, however long that took", { timeout: 30_000 }, async () => {
    const connector = await connect();
    const { values } = openState({
      ...connector,
      openForCommands: async (listeners) => {
        const opened = await connector.openForCommands(listeners);
        block(1_200);
        return opened;
      },
    });
    await values.put("a", "kept", longMs);
    expect(await values.get("a")).toBe("kept");
  });
});

it.skipIf(!hasNats)(
  "a connection to NATS is opened however busy the process is",
  { timeout: 30_000 },
  async () => {
    const { values } = openNats();
    const asked = values.get("a");
    // Until the client knocks.
    await import("@nats-io/transport-node");
    await new Promise((resolve) => setImmediate(resolve));
    block(2_500);
    expect(await asked).toBeUndefined();
  },
);
