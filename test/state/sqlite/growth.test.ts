import { statSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "allspeak/state/sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const ttlMs = 1_000;

it("does not grow without end: what has expired makes room for what comes", { timeout: 60_000 }, () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(createTemporaryFolder(), "state.db");
  const state = sqlite(path, { synchronous: "normal" });
  onTestFinished(() => state.close());
  const client = { info: { name: "c", version: "1" }, capabilities: {} };
  const fill = (round: number) => {
    for (let at = 0; at < 150; at++) {
      const name = `${round}-${at}`;
      const shown = {
        owner: "o",
        revision: "r",
        ready: true,
        logLevel: undefined,
        lists: [],
        subscriptions: [],
      };
      void state.sessions.create({ id: name, client, read: "0", ...shown }, ttlMs);
      void state.values.put(name, "v".repeat(1_000), ttlMs);
      void state.counters.count(name, 1, ttlMs);
      void state.events.append(name, ["e".repeat(500), "f".repeat(500)], ttlMs);
      const task = { id: name, queue: "q", owner: name, lister: name, ttlMs, pollIntervalMs: 1 };
      void state.tasks.create({ ...task, work: { text: "w".repeat(500) } }, 1);
    }
    vi.setSystemTime(Date.now() + 2 * ttlMs);
  };
  const sizes: number[] = [];
  for (let round = 0; round < 20; round++) {
    fill(round);
    sizes.push(statSync(path).size + statSync(`${path}-wal`).size);
  }
  const early = Math.max(...sizes.slice(0, 5));
  expect(Math.max(...sizes.slice(5)), String(sizes)).toBeLessThan(early * 1.5);
});

it("gives room back to the disk", { timeout: 30_000 }, () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(createTemporaryFolder(), "state.db");
  const state = sqlite(path, { synchronous: "normal" });
  for (let at = 0; at < 500; at++) void state.values.put(`large ${at}`, "x".repeat(10_000), ttlMs);
  vi.setSystemTime(Date.now() + 2 * ttlMs);
  for (let at = 0; at < 3_000; at++) void state.values.put("small", "x", ttlMs);
  void state.close();
  expect(statSync(path).size).toBeLessThan(1_000_000);
});
