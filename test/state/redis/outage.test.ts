import { streamStart } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { RedisServer } from "./redis-server.ts";
import { connectors, hasRedis, openState } from "./support.ts";
import { TcpProxy } from "./tcp-proxy.ts";

const longMs = 600_000;
const patience = { timeout: 15_000 };

async function attempt<T>(answer: T | Promise<T>): Promise<T | "away"> {
  try {
    return await answer;
  } catch {
    return "away";
  }
}

const own = Object.entries(connectors).filter(([name]) => name.startsWith("a URL"));

describe.skipIf(!hasRedis).each(Object.entries(connectors))(
  "a Redis server that is killed, by %s",
  (_, connect) => {
    it("fails what needs it at once, and is used again as soon as it is back, with all that was acknowledged", async () => {
      const server = await RedisServer.start();
      const { values, events, tasks } = openState(await connect(server.url));
      let hints = 0;
      events.watch("stream", () => hints++);
      await values.put("a", "kept", longMs);
      const first = await events.append("stream", ["one"], longMs);
      await tasks.create(
        { id: "t", queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} },
        1,
      );
      await expect.poll(() => hints, patience).toBeGreaterThan(0);

      await server.kill();
      const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => values.get("a")));
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["rejected"]));

      hints = 0;
      await server.start();
      await expect.poll(() => attempt(values.get("a")), patience).toBe("kept");
      expect((await events.after("stream", streamStart))?.map(({ text }) => text)).toEqual(["one"]);
      expect(await events.last("stream")).toBe(first);
      expect((await tasks.claim("q", longMs))?.id).toBe("t");
      // Hints may have been lost, so that everybody is called once.
      await expect.poll(() => hints, patience).toBeGreaterThan(0);
      hints = 0;
      await events.append("stream", ["two"], longMs);
      await expect.poll(() => hints, patience).toBeGreaterThan(0);
    }, 40_000);
  },
);

describe.skipIf(!hasRedis).each(own)("a Redis server that does not answer, by %s", (_, connect) => {
  it("is given up, gets no endless queue, and is used again once it goes on", async () => {
    const server = await RedisServer.start();
    const { values } = openState(await connect(server.url));
    await values.put("a", "kept", longMs);
    server.freeze();
    const waiting = Array.from({ length: 10_000 }, () => attempt(values.get("a")));
    await expect(values.get("a")).rejects.toMatchObject({ code: "overloaded" });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["away"]));
    await expect(values.get("a")).rejects.toThrow();
    server.thaw();
    await expect.poll(() => attempt(values.get("a")), patience).toBe("kept");
  }, 40_000);

  it("is left for a new connection when the way to it swallows everything", async () => {
    const server = await RedisServer.start();
    const proxy = await TcpProxy.start(server.port);
    const { values } = openState(await connect(proxy.url));
    await values.put("a", "kept", longMs);
    proxy.holdsBack = () => true;
    await expect(values.get("a")).rejects.toThrow();
    proxy.holdsBack = () => false;
    await expect.poll(() => attempt(values.get("a")), patience).toBe("kept");
  }, 40_000);
});

describe.skipIf(!hasRedis).each(own)("a connection that is cut before the answer, by %s", (_, connect) => {
  it("fails the command, which is never sent again: no event is there twice", async () => {
    const server = await RedisServer.start();
    const proxy = await TcpProxy.start(server.port);
    const { events } = openState(await connect(proxy.url));
    await events.append("stream", ["one"], longMs);
    proxy.holdsBack = () => {
      proxy.cut();
      return true;
    };
    await expect(events.append("stream", ["two"], longMs)).rejects.toThrow();
    proxy.holdsBack = () => false;
    const texts = async () => {
      const found = await attempt(events.after("stream", streamStart));
      return typeof found === "object" ? found.map(({ text }) => text) : found;
    };
    await expect.poll(texts, patience).toEqual(["one", "two"]);
  }, 40_000);
});

describe.skipIf(!hasRedis)("a Redis server that has changed", () => {
  it("gets its scripts again when it has forgotten them", async () => {
    const server = await RedisServer.start();
    const { counters, events } = openState(await connectors["a URL and ioredis"](server.url));
    await counters.count("a", 1, longMs);
    await server.kill();
    await server.start();
    const count = () => attempt(counters.count("a", 1, longMs));
    await expect.poll(count, patience).toMatchObject({ count: 2 });
    expect(await events.append("a", ["x"], longMs)).toMatch(/^\d+\.\d+$/);
  }, 40_000);

  it("that is full refuses writes with an error that says so, and keeps what it has", async () => {
    const server = await RedisServer.start(["--maxmemory", "3mb"]);
    const { values } = openState(await connectors["a URL and ioredis"](server.url));
    const fill = async () => {
      for (let at = 0; at < 100; at++) await values.put(`v${at}`, "x".repeat(100_000), longMs);
    };
    await expect(fill()).rejects.toMatchObject({
      code: "overloaded",
      message: expect.stringContaining("Redis is full"),
    });
    expect(await values.get("v0")).toHaveLength(100_000);
  }, 40_000);
});
