import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { type RedisTarget, redis } from "allspeak/state/redis";
import { Cluster } from "ioredis";
import { createClient, createClientPool, createCluster } from "redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { toConnector } from "../../../src/state/redis/client/connector.ts";
import { hasRedis, importOnlyRedis, url } from "./support.ts";

const listeners = { onMessage: () => {}, onClose: () => {} };

function missing(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from /app`), {
    code: "ERR_MODULE_NOT_FOUND",
  });
}

describe("redis()", () => {
  it.each<[string, unknown, object, RegExp]>([
    [
      "a URL of another kind",
      "http://127.0.0.1",
      {},
      /takes a URL that begins with redis:\/\/ or rediss:\/\//,
    ],
    ["nothing", undefined, {}, /takes a URL, or a client of ioredis or redis.*not undefined/],
    ["a client of something else", { query: () => {} }, {}, /takes a URL, or a client of ioredis or redis/],
    ["a misspelled option", "redis://a", { prefx: "a" }, /no option "prefx".*prefix/],
    ["a limit that is not a number", "redis://a", { maxEvents: "1" }, /"maxEvents" must be a number/],
    ["a level that does not exist", "redis://a", { durability: "all" }, /"durability" must be "none" or/],
    ["a prefix with braces", "redis://a", { prefix: "{a}" }, /"prefix" may contain letters/],
  ])("refuses %s, and says what it takes", (_, target, options, message) => {
    const open = () => redis(target as RedisTarget, options);
    expect(open).toThrow(expect.objectContaining({ code: "usage" }));
    expect(open).toThrow(message);
  });

  it("refuses clients that are not of one server", () => {
    const others = [
      new Cluster([], { lazyConnect: true }),
      createCluster({ rootNodes: [{ url: "redis://127.0.0.1" }] }),
      createClientPool({ url: "redis://127.0.0.1" }),
    ] as unknown[];
    for (const other of others)
      expect(() => redis(other as RedisTarget)).toThrow(/not a cluster, a pool or sentinels/);
  });

  it("never shows a URL, which may contain a password", () => {
    expect(() => redis("http://user:secret@host")).toThrow(/^(?!.*secret)/);
  });

  it("says which packages to install when there is none", async () => {
    const { openForCommands } = toConnector("redis://a", (name) => Promise.reject(missing(name)));
    const opening = openForCommands(listeners);
    await expect(opening).rejects.toMatchObject({ code: "usage" });
    await expect(opening).rejects.toThrow(/npm install ioredis \(or npm install redis\)/);
  });

  it("passes on why a package that is there does not load", async () => {
    const { openForCommands } = toConnector("redis://a", (name) =>
      Promise.reject(name === "ioredis" ? missing("denque") : missing(name)),
    );
    await expect(openForCommands(listeners)).rejects.toThrow("Cannot find package 'denque'");
  });

  it("says that a client of redis must be connected first", async () => {
    const state = redis(createClient({ url: "redis://127.0.0.1:1" }));
    await expect(state.values.get("a")).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("await client.connect()"),
    });
  });

  it("says that a server did not answer, and of what to think, without the password", async () => {
    const silent = createTcpServer().listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const targets = ["redis", "rediss"].map((scheme) => `${scheme}://:hunter2@127.0.0.1:${port}`);
    const openings = targets.flatMap((target) => [toConnector(target), toConnector(target, importOnlyRedis)]);
    const problems = await Promise.all(
      openings.map(({ openForCommands }) =>
        openForCommands(listeners).catch((error: Error) => error.message),
      ),
    );
    for (const problem of problems)
      expect(problem).toBe(
        "Redis has not answered within 2 s; check its address, and that redis:// or rediss:// (with TLS) is what it speaks.",
      );
  });

  it.skipIf(!hasRedis).each(["ioredis", "redis"])(
    "refuses a database that the server does not have (%s)",
    async (client) => {
      const target = new URL("/99999", url).href;
      const connector = client === "redis" ? toConnector(target, importOnlyRedis) : toConnector(target);
      for (const open of [connector.openForCommands, connector.openForChannels])
        await expect(open(listeners)).rejects.toThrow(/DB index is out of range/);
    },
  );

  it("connects with its first use: one that is never used opens and keeps nothing", async () => {
    const state = redis("redis://127.0.0.1:1");
    await state.close();
    await state.close();
    await expect(state.values.get("a")).rejects.toMatchObject({ code: "connection-closed" });
  });
});
