import { createServer, type LogEntry, tool } from "allspeak";
import { memoryState, type State } from "allspeak/http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { OverloadedError } from "../../src/errors.ts";
import { withAvailability } from "../../src/state/store-availability.ts";
import { entries, open } from "../support/http/entries.ts";
import { type Answer, exchange } from "../support/http/exchange.ts";
import { openSession, toInitialize } from "../support/http/raw-session.ts";
import { callNewest } from "../support/http/stateless-request.ts";

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const withTasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

type Operation = (...args: readonly unknown[]) => unknown;

/** A state whose stores stop working. */
function createFragile() {
  const memory = memoryState();
  let outage: (() => unknown) | undefined;
  const fragile = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const operation = Reflect.get(target, name) as Operation;
        return (...args: readonly unknown[]) =>
          outage && name !== "onChange" ? outage() : operation.apply(target, [...args]);
      },
    });
  const { sessions, events, values, counters, tasks } = memory;
  const state: State = {
    ...memory,
    isShared: true,
    sessions: fragile(sessions),
    events: fragile(events),
    values: fragile(values),
    counters: fragile(counters),
    tasks: fragile(tasks),
  };
  const breakWith = (how: (() => unknown) | undefined) => {
    outage = how;
  };
  return { state, breakWith };
}

const outages: [how: string, outage: () => unknown][] = [
  ["rejects", () => Promise.reject(new Error("ECONNREFUSED redis://10.0.0.7"))],
  [
    "throws",
    () => {
      throw new Error("ECONNREFUSED redis://10.0.0.7");
    },
  ],
];

async function expectRetry(answer: Answer): Promise<void> {
  expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    error: {
      code: 503,
      message: "The server can't reach its store; try again in 5 s.",
      data: { retryAfterMs: 5000 },
    },
  });
  expect(text).not.toContain("redis");
}

describe.each(entries)("D6: a store that is down, $name", (entry) => {
  it.each(outages)(
    "that %s is 503 with Retry-After for what needs it, and nothing for the rest",
    async (_, outage) => {
      const { state, breakWith } = createFragile();
      const server = createServer({
        name: "s",
        version: "1",
        log: () => {},
        tools: [tool("echo", {}, () => "x"), tool("slow", { task: "required" }, () => "x")],
      });
      server.resource("notes://{name}", { name: "notes" }, () => "x");
      const { url } = await open(entry, server, { state });
      const session = await openSession(url, "2025-11-25");
      breakWith(outage);

      await expectRetry(await exchange(url, { body: toInitialize("2025-11-25"), headers: posting }));
      const unknown = { ...session.headers, "mcp-session-id": "0".repeat(32) };
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      await expectRetry(await exchange(url, { body: ping, headers: { ...posting, ...unknown } }));
      await expectRetry(await session.ask("resources/subscribe", { uri: "notes://a" }));
      await expectRetry(await callNewest(url, "slow", {}, { capabilities: withTasks }));
      expect((await callNewest(url, "echo")).status).toBe(200);
      await expectRetry(await session.ask("ping"));

      breakWith(undefined);
      // It is away until it is tried again.
      const initialize = () => exchange(url, { body: toInitialize("2025-11-25"), headers: posting });
      while ((await initialize()).status === 503);
      expect((await callNewest(url, "slow", {}, { capabilities: withTasks })).status).toBe(200);
    },
  );
});

it.each(entries)(
  "D6: a store that is down is reported under the id of the request that needs it, $name",
  async (entry) => {
    const { state, breakWith } = createFragile();
    const tools = [tool("echo", {}, () => "x"), tool("slow", { task: "required" }, () => "x")];
    const server = createServer({ name: "s", version: "1", log: () => {}, tools });
    const { url } = await open(entry, server, { state });
    const session = await openSession(url, "2025-11-25");
    breakWith(() => Promise.reject(new Error("ECONNREFUSED")));
    const idOf = async (answer: Answer) => [answer.status, (await answer.json()).id];
    const initialize = { ...toInitialize("2025-11-25"), id: "first" };
    expect(await idOf(await exchange(url, { body: initialize, headers: posting }))).toEqual([503, "first"]);
    expect(await idOf(await session.ask("ping", {}, { id: 7 }))).toEqual([503, 7]);
    expect(await idOf(await session.call("echo", {}, { id: "eight" }))).toEqual([503, "eight"]);
    const called = await callNewest(url, "slow", {}, { id: 9, capabilities: withTasks });
    expect(await idOf(called)).toEqual([503, 9]);
    expect(await idOf(await session.notify("notifications/initialized"))).toEqual([503, undefined]);
    expect(await idOf(await session.get())).toEqual([503, undefined]);
  },
);

it.each(entries)(
  "D6: a store that is down is logged once in a while, however many requests need it, $name",
  async (entry) => {
    const { state, breakWith } = createFragile();
    const log: LogEntry[] = [];
    const server = createServer({ name: "s", version: "1", log: (entry) => log.push(entry) });
    const { url } = await open(entry, server, { state });
    await openSession(url, "2025-11-25");
    breakWith(() => Promise.reject(new Error("ECONNREFUSED")));
    const lost = { ...posting, "mcp-session-id": "0".repeat(32), "mcp-protocol-version": "2025-11-25" };
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    for (let time = 0; time < 10; time++)
      await expectRetry(await exchange(url, { body: ping, headers: lost }));
    breakWith(undefined);
    const failures = log.filter(({ message }) => message.includes("could not be answered"));
    expect(failures).toHaveLength(1);
  },
);

it("D6: a store that hangs is given up within a second, and after that not even asked for a while", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { state, breakWith } = createFragile();
  let asked = 0;
  breakWith(() => {
    asked++;
    return new Promise(() => {});
  });
  const touch = () =>
    Promise.resolve()
      .then(() => withAvailability(state).sessions.touch("a", 1000))
      .catch((error: unknown) => error);
  const finding = touch();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await finding).toBeInstanceOf(OverloadedError);
  await vi.advanceTimersByTimeAsync(100);
  const probe = touch();
  expect(await touch()).toBeInstanceOf(OverloadedError);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await probe).toBeInstanceOf(OverloadedError);
  breakWith(undefined);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await touch()).toBeUndefined();
  expect(await touch()).toBeUndefined();
});

it("a store that has a queue is busy and not away: whatever waits in it gets its answer", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { state, breakWith } = createFragile();
  const { values } = withAvailability(state);
  const queue: ((found: string) => void)[] = [];
  breakWith(() => new Promise((resolve) => queue.push(resolve)));
  const found = Promise.all(Array.from({ length: 30 }, () => values.get("a")));
  while (queue.length > 0) {
    await vi.advanceTimersByTimeAsync(100);
    queue.shift()?.("found");
  }
  expect(new Set(await found)).toEqual(new Set(["found"]));
});

it("an operation that a busy store never answers is given up, and takes the store from nobody", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { state, breakWith } = createFragile();
  const { values } = withAvailability(state);
  breakWith(() => new Promise(() => {}));
  const lost = Promise.resolve(values.get("a")).catch((error: unknown) => error);
  breakWith(undefined);
  for (let time = 0; time < 25; time++) {
    await values.put("a", "x", 60_000);
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(await lost).toBeInstanceOf(OverloadedError);
  expect(await values.get("a")).toBe("x");
});

it("D6: a store is used again after its second outage, though the operation that looked after the first was never answered", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { state, breakWith } = createFragile();
  const { values } = withAvailability(state);
  const get = async () => values.get("a");
  let answer: (found: unknown) => void = () => {};
  breakWith(() => new Promise((resolve) => (answer = resolve)));
  const late = expect(get()).rejects.toThrow(OverloadedError);
  await vi.advanceTimersByTimeAsync(1_000);
  await late;
  const answerLate = answer;
  const probe = expect(get()).rejects.toThrow(OverloadedError);
  answerLate(undefined);
  breakWith(undefined);
  for (let time = 0; time < 25; time++) {
    await vi.advanceTimersByTimeAsync(500);
    await values.put("a", "x", 600_000);
  }
  await probe;
  breakWith(() => new Promise(() => {}));
  const lost = expect(get()).rejects.toThrow(OverloadedError);
  await vi.advanceTimersByTimeAsync(1_000);
  await lost;
  breakWith(undefined);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await get()).toBe("x");
});

it("D6: a store that was away is used again, though the clock of the machine was set back by an hour meanwhile", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { state, breakWith } = createFragile();
  const { values } = withAvailability(state);
  breakWith(() => Promise.reject(new Error("away")));
  for (let time = 0; time < 3; time++)
    await expect(Promise.resolve(values.put("a", "x", 1000))).rejects.toThrow(OverloadedError);
  vi.setSystemTime(Date.now() - 3_600_000);
  breakWith(undefined);
  await vi.advanceTimersByTimeAsync(2_000);
  await values.put("a", "y", 1000);
  expect(await values.get("a")).toBe("y");
});

it("one failure, which may be about what was sent, takes the store from nobody", async () => {
  const { state, breakWith } = createFragile();
  const { values } = withAvailability(state);
  for (let time = 0; time < 10; time++) {
    breakWith(() => Promise.reject(new Error("too large")));
    await expect(Promise.resolve(values.put("a", "x", 1000))).rejects.toThrow(OverloadedError);
    breakWith(undefined);
    await values.put("a", "y", 1000);
  }
  expect(await values.get("a")).toBe("y");
});
