import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { RedisServer } from "./redis-server.ts";
import { connectors, hasRedis, openState } from "./support.ts";

const settings: [
  level: string,
  asked: "power-loss" | "machine-loss",
  settings: string[],
  warning: RegExp | undefined,
][] = [
  ["power-loss", "power-loss", [], undefined],
  ["power-loss", "machine-loss", [], /before its replicas do/],
  ["store-crash", "power-loss", ["appendfsync", "no"], /appendfsync no\): set appendfsync always/],
  ["node-crash", "power-loss", ["appendfsync", "everysec"], /two seconds.*set appendfsync always/],
  ["node-crash", "power-loss", ["appendonly", "no"], /loses everything.*set appendonly yes/],
  ["node-crash", "power-loss", ["appendonly", "no", "save", "60 1"], /last snapshot.*set appendonly yes/],
  [
    "none",
    "power-loss",
    ["maxmemory", "100mb", "maxmemory-policy", "allkeys-lru"],
    /set maxmemory-policy noeviction/,
  ],
];

describe.skipIf(!hasRedis).each(Object.entries(connectors))(
  "the durability of Redis, by %s",
  (_, connect) => {
    it("is what the settings of the server give, with a warning where it is weaker than asked", async () => {
      const server = await RedisServer.start();
      const admin = openAdmin(server.url);
      const defaults = [
        "appendonly",
        "yes",
        "appendfsync",
        "always",
        "save",
        "",
        "maxmemory",
        "0",
        "maxmemory-policy",
        "noeviction",
      ];
      for (const [level, asked, changed, warning] of settings) {
        await admin.config("SET", ...(defaults as [string]));
        if (changed.length > 0) await admin.config("SET", ...(changed as [string]));
        const found = await openState(await connect(server.url), { durability: asked }).durability();
        expect(found.level).toBe(level);
        expect(found.warnings).toEqual(
          warning === undefined ? [] : [expect.stringMatching(warning), ...found.warnings.slice(1)],
        );
      }
    });
  },
);

describe.skipIf(!hasRedis)("the durability of Redis", () => {
  it("is not known where the user may not read the settings, and the warning says so", async () => {
    const server = await RedisServer.start();
    const admin = openAdmin(server.url);
    await admin.acl("SETUSER", "limited", "on", ">pw", "~*", "&*", "+@all", "-config");
    const url = server.url.replace("redis://", "redis://limited:pw@");
    const state = openState(await connectors["a URL and ioredis"](url));
    expect(await state.durability()).toEqual({
      level: "node-crash",
      warnings: [expect.stringMatching(/does not let this user read its settings.*allow CONFIG GET/)],
    });
    await state.values.put("a", "works", 1_000);
  });
});

function openAdmin(url: string): Redis {
  const admin = new Redis(url);
  onTestFinished(() => admin.disconnect());
  return admin;
}
