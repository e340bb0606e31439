import { createServer, type LogEntry, StoredFormatError, tool } from "allspeak";
import { type HttpOptions, type State, streamStart } from "allspeak/http";
import { TaskRunner } from "allspeak/tasks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scopeState } from "../../src/state/scoped-state.ts";
import { withAvailability } from "../../src/state/store-availability.ts";
import { entries, open } from "../support/http/entries.ts";
import type { Answer } from "../support/http/exchange.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { callNewest } from "../support/http/stateless-request.ts";

/** A store whose entries a test can write over. */
export interface SpoilableStore {
  readonly state: State;
  /** Another state on the same store, as another node has it. */
  again(): State | Promise<State>;
  spoil(kind: "session" | "task", id: string, text: string): Promise<void> | void;
}

const longMs = 600_000;
const revision = "2025-11-25";
const unreadable = [
  "{",
  "null",
  "7",
  "[]",
  "{}",
  '{"id":7}',
  '2{"id":"spoilt","body":"of a newer version"}',
] as const;

function toSession(id: string) {
  const client = { info: undefined, capabilities: {} };
  const empty = { logLevel: undefined, lists: [], subscriptions: [], read: "0" };
  return { id, owner: "", revision, client, ready: true, ...empty };
}

const identify: NonNullable<HttpOptions["identify"]> = (request) => {
  const subject = request.header("x-user");
  return subject === undefined ? undefined : { issuer: "test", subject };
};
const alice = { "x-user": "alice" };

async function serve(state: State, runs = true) {
  const [entry] = entries;
  if (entry === undefined) throw new Error("There is no way to serve.");
  const log: LogEntry[] = [];
  const server = createServer({
    name: "s",
    version: "1",
    log: (logged) => log.push(logged),
    tasks: { run: runs },
    tools: [tool("slow", { task: "optional" }, () => "done"), tool("echo", {}, () => "x")],
  });
  return { url: (await open(entry, server, { state, identify })).url, log, server };
}

/** All that a client learns. */
async function read(answer: Answer): Promise<unknown> {
  return [answer.status, await answer.json()];
}

/** What must hold for entries that another program, or a newer version of allspeak, has written. */
export function describeUnreadableEntries(
  name: string,
  isThere: boolean,
  openStore: () => SpoilableStore | Promise<SpoilableStore>,
): void {
  describe.skipIf(!isThere)(`an entry of ${name} that can't be read`, () => {
    it.each(unreadable)("fails what needs it with an error of ours, and nothing else: %s", async (text) => {
      const { state, spoil } = await openStore();
      const { sessions, tasks } = withAvailability(state);
      const task = { queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
      for (const id of ["before", "spoilt", "sound"]) {
        await sessions.create(toSession(id), longMs);
        await tasks.create({ ...task, id }, 100);
      }
      await spoil("session", "spoilt", text);
      await spoil("task", "spoilt", text);
      for (let time = 0; time < 5; time++) {
        await expect(rejection(() => sessions.touch("spoilt", longMs))).resolves.toBeInstanceOf(
          StoredFormatError,
        );
        await expect(rejection(() => tasks.get("spoilt"))).resolves.toBeInstanceOf(StoredFormatError);
      }
      expect((await sessions.touch("sound", longMs))?.session.id).toBe("sound");
      expect((await tasks.get("sound"))?.id).toBe("sound");
    });

    it("is left out of a list of tasks, also at the end of a page, and the queue goes on after it", async () => {
      const { state, spoil } = await openStore();
      const { tasks } = state;
      const task = { queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
      for (const id of ["a", "spoilt", "b", "c"]) await tasks.create({ ...task, id }, 100);
      await spoil("task", "spoilt", "{");
      const pages: unknown[] = [];
      let after: string | undefined;
      do {
        const page = await tasks.list("l", 2, after);
        pages.push([page?.tasks.map(({ id }) => id), page?.unreadable ?? []]);
        after = page?.next;
      } while (after !== undefined);
      expect(pages).toEqual([
        [["a"], ["spoilt"]],
        [["b", "c"], []],
      ]);
      expect((await tasks.claim("q", longMs))?.id).toBe("a");
      await expect(rejection(() => tasks.claim("q", longMs))).resolves.toBeInstanceOf(StoredFormatError);
      expect((await tasks.claim("q", longMs))?.id).toBe("b");
      expect((await tasks.claim("q", longMs))?.id).toBe("c");
      expect(await tasks.claim("q", longMs)).toBeUndefined();
    });

    it("is an unknown session to its client, which opens a new one, at every node", async () => {
      const { state, again, spoil } = await openStore();
      const [one, other] = [await serve(state), await serve(await again())];
      const session = await openSession(one.url, revision);
      const sound = await openSession(one.url, revision);
      await spoil("session", `s/${session.id}`, "{");
      for (const { url } of [other, one, other, one]) {
        const there = new RawSession(url, session.id, revision);
        const nobody = new RawSession(url, "f".repeat(32), revision);
        for (const send of [
          (as: RawSession) => as.ask("ping", {}, { id: 1 }),
          (as: RawSession) => as.get(),
          (as: RawSession) => as.delete(),
        ]) {
          const answer = await read(await send(there));
          expect(answer).toMatchObject([404, { error: { message: "Session not found; initialize again." } }]);
          expect(answer).toEqual(await read(await send(nobody)));
        }
      }
      expect((await sound.ask("ping")).status).toBe(200);
      const reported = other.log.filter(({ message }) => message.includes("session can't be read"));
      expect(reported).toHaveLength(1);
      await openSession(other.url, revision);
    });

    it("is an unknown task to its owner, whose others are listed and run", async () => {
      const { state, again, spoil } = await openStore();
      const [lazy, busy] = [await serve(state, false), await serve(await again())];
      const session = await openSession(lazy.url, revision, { headers: alice });
      const start = async () => {
        const params = { name: "slow", arguments: {}, task: { ttl: longMs } };
        const { result } = await (await session.ask("tools/call", params)).result();
        return (result as { task: { taskId: string } }).task.taskId;
      };
      const spoilt = await start();
      const sound = await start();
      await spoil("task", spoilt, "{");
      for (const { url } of [lazy, busy, lazy, busy]) {
        const there = new RawSession(url, session.id, revision, alice);
        const { result } = await (await there.ask("tasks/list")).result();
        expect(result?.tasks).toMatchObject([{ taskId: sound }]);
        for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
          const answer = await there.ask(method, { taskId: spoilt }, { id: 1 });
          const unknown = await there.ask(method, { taskId: "f".repeat(32) }, { id: 1 });
          const { error } = await answer.result();
          expect(error).toMatchObject({ code: -32602, message: "Task not found; it may have expired." });
          expect((await unknown.result()).error).toEqual(error);
        }
      }
      const there = new RawSession(busy.url, session.id, revision, alice);
      const { result } = await (await there.ask("tasks/result", { taskId: sound })).result();
      expect(result?.content).toMatchObject([{ text: "done" }]);
      for (const { log } of [lazy, busy])
        expect(log.filter(({ message }) => message.includes("taken for unknown"))).toHaveLength(1);
      expect(busy.log.filter(({ message }) => message.includes("is not run"))).toHaveLength(1);
    });

    it("does not keep a worker from the tasks after it, however many there are", async () => {
      const { state, spoil } = await openStore();
      // Only the first look at the queue counts: the timer brings no other.
      vi.useFakeTimers({ toFake: ["setInterval"] });
      onTestFinished(() => void vi.useRealTimers());
      const task = { queue: "s", owner: "s/o", lister: "s/l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
      const spoilt = Array.from({ length: 110 }, (_, index) => `spoilt-${index}`);
      for (const id of spoilt) await state.tasks.create({ ...task, id }, 1000);
      for (const id of spoilt) await spoil("task", id, "{");
      const { url, server } = await serve(state, false);
      const session = await openSession(url, revision, { headers: alice });
      const params = { name: "slow", arguments: {}, task: { ttl: longMs } };
      const { result } = await (await session.ask("tools/call", params)).result();
      const { taskId } = (result as { task: { taskId: string } }).task;
      const runner = new TaskRunner(server, { state });
      onTestFinished(() => runner.close(0));
      const done = await (await session.ask("tasks/result", { taskId })).result();
      expect(done.result?.content).toMatchObject([{ text: "done" }]);
    });

    it("of a newer version fails only those who need it: never a crash, nor another value", async () => {
      const { state } = await openStore();
      const scoped = scopeState(withAvailability(state), "s");
      await state.values.put("s/new", "2text", longMs);
      await scoped.values.put("old", "text", longMs);
      await scoped.events.append("stream", ["old"], longMs);
      await state.events.append("s/stream", ["2new"], longMs);
      await scoped.events.append("stream", ["older"], longMs);
      for (let time = 0; time < 5; time++) {
        const error = await rejection(() => scoped.values.get("new"));
        expect(error).toBeInstanceOf(StoredFormatError);
        expect((error as Error).message).toContain("update this node");
      }
      const events = (await scoped.events.after("stream", streamStart)) ?? [];
      expect([events[0]?.text, events[2]?.text]).toEqual(["old", "older"]);
      expect(() => events[1]?.text).toThrow(StoredFormatError);
      expect(await scoped.values.get("old")).toBe("text");
      expect(await scoped.values.add("new", "mine", longMs)).toBe(false);
    });

    it("of a newer node on the bus is passed over, and the messages after it arrive", async () => {
      const { state, again } = await openStore();
      const [one, other] = [await serve(state), await serve(await again())];
      const session = await openSession(one.url, revision);
      const events = await session.listen();
      for (const stream of ["s/bus", "s/control"]) await state.events.append(stream, ["2new"], longMs);
      other.server.tool("later", "A tool that comes later", () => "now");
      expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      events.cut();
      expect((await callNewest(other.url, "echo")).status).toBe(200);
      await new RawSession(other.url, session.id, revision).delete();
      while (one.log.length > 0) expect(one.log.shift()?.message).not.toContain("can't be read");
      expect((await session.ask("ping")).status).toBe(404);
    });
  });
}

/** The error of an operation, whether it throws it now or later. */
async function rejection(operation: () => unknown): Promise<unknown> {
  try {
    await operation();
    return undefined;
  } catch (error) {
    return error;
  }
}
