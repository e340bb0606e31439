import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { State } from "allspeak/http";
import { sqlite } from "allspeak/state/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const longMs = 60_000;
const program = fileURLToPath(new URL("fixtures/writer.mjs", import.meta.url));

interface Round {
  readonly at: number;
  readonly offset: string;
  readonly won: boolean;
  readonly done?: string;
}

/** A process that writes, with the rounds that it has told of. */
class Writer {
  readonly rounds: Round[] = [];
  readonly child: ChildProcess;
  readonly #waiting: { readonly rounds: number; readonly resolve: () => void }[] = [];

  constructor(path: string, name: string, count: number) {
    this.child = fork(program, [path, name, String(count)], { execArgv: ["--no-warnings"] });
    this.child.on("message", (message) => {
      if (typeof message === "object") this.rounds.push(message as Round);
      for (const { rounds, resolve } of this.#waiting) if (this.rounds.length >= rounds) resolve();
    });
    onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  hasDone(rounds: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ rounds, resolve }));
  }

  async ends(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, "exit");
    return this.child.exitCode;
  }
}

function open(path: string): State {
  const state = sqlite(path, { synchronous: "normal" });
  onTestFinished(() => state.close());
  return state;
}

async function textsOf(state: State): Promise<string[]> {
  return ((await state.events.after("shared", "0")) ?? []).map(({ text }) => text);
}

describe("processes that share a file", () => {
  it("may all open it at once, and lose and double nothing", { timeout: 60_000 }, async () => {
    const path = join(createTemporaryFolder(), "state.db");
    const rounds = 60;
    const names = ["a", "b", "c", "d"];
    const writers = names.map((name) => new Writer(path, name, rounds));
    await Promise.all(writers.map((writer) => writer.hasDone(1)));
    const state = open(path);
    for (let at = 0; at < 40; at++) {
      const task = { id: `t${at}`, queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1 };
      void state.tasks.create({ ...task, work: {} }, 1_000);
    }
    expect(await Promise.all(writers.map((writer) => writer.ends()))).toEqual([0, 0, 0, 0]);

    const all = writers.flatMap((writer) => writer.rounds);
    expect(all).toHaveLength(rounds * names.length);
    expect(state.counters.count("shared", 0, longMs)).toMatchObject({ count: all.length });
    expect(new Set(all.map(({ offset }) => offset)).size).toBe(all.length);
    expect(all.filter(({ won }) => won)).toHaveLength(rounds);
    const done = all.flatMap((round) => round.done ?? []);
    expect(new Set(done).size).toBe(done.length);

    const texts = await textsOf(state);
    expect(texts).toHaveLength(all.length * 2);
    for (let at = 0; at < texts.length; at += 2) expect(texts[at + 1]).toBe(texts[at]?.replace(/a$/, "b"));
    for (const name of names) {
      const own = texts.filter((text) => text.startsWith(`${name} `));
      expect(own).toEqual(
        Array.from({ length: rounds }, (_, at) => [`${name} ${at} a`, `${name} ${at} b`]).flat(),
      );
    }
  });

  it.each([1, 7, 23])("keep what one wrote that was killed after %i rounds, whole", async (killedAfter) => {
    const path = join(createTemporaryFolder(), "state.db");
    const [victim, other] = [new Writer(path, "victim", 100_000), new Writer(path, "other", 80)];
    await victim.hasDone(killedAfter);
    victim.child.kill("SIGKILL");
    await victim.ends();
    expect(await other.ends()).toBe(0);
    const state = open(path);
    const texts = await textsOf(state);
    const told = victim.rounds.flatMap(({ at }) => [`victim ${at} a`, `victim ${at} b`]);
    const kept = texts.filter((text) => text.startsWith("victim "));
    // The last write may have been made without a word of it.
    expect(kept.slice(0, told.length)).toEqual(told);
    expect(kept.length % 2).toBe(0);
    expect(texts.filter((text) => text.startsWith("other "))).toHaveLength(160);
    expect(state.values.add("still", "writable", longMs)).toBe(true);
  });

  it("hear of the events and the tasks of each other", async () => {
    const path = join(createTemporaryFolder(), "state.db");
    const [here, there] = [open(path), open(path)];
    const heard = new Promise<void>((resolve) => {
      onTestFinished(here.events.watch("stream", resolve));
    });
    const changed = new Promise<string>((resolve) => {
      onTestFinished(here.tasks.onChange(resolve));
    });
    let others = 0;
    onTestFinished(here.events.watch("another stream", () => void others++));
    void there.events.append("stream", ["x"], longMs);
    const task = { id: "task", queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1 };
    void there.tasks.create({ ...task, work: {} }, 10);
    await heard;
    expect(await changed).toBe("task");
    expect(others).toBe(0);
  });

  it("end when they have nothing else to do, though a state is open and watched", async () => {
    const path = join(createTemporaryFolder(), "state.db");
    const source = `
      import { sqlite } from "allspeak/state/sqlite";
      const state = sqlite(process.argv[1]);
      state.events.watch("stream", () => {});
      state.values.put("key", "value", 60_000);
    `;
    const args = ["--no-warnings", "--input-type=module", "--eval", source, path];
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(open(path).values.get("key")).toBe("value");
  });
});
