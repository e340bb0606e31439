import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { memoryState } from "allspeak/http";
import { nats } from "allspeak/state/nats";
import { postgres } from "allspeak/state/postgres";
import { redis } from "allspeak/state/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { durabilityLevels, toDurability } from "../../src/state/durability.ts";

const problems = ['appendfsync is "everysec"; set it to "always".'];

describe("the durability of a store", () => {
  it("is without warnings where it is as strong as asked", () => {
    for (const [at, level] of durabilityLevels.entries())
      for (const asked of durabilityLevels.slice(0, at + 1))
        expect(toDurability({ level, asked, problems })).toEqual({ level, warnings: [] });
  });

  it("warns of each setting that makes it weaker than asked, and says what to do", () => {
    const { level, warnings } = toDurability({ level: "store-crash", asked: "power-loss", problems });
    expect(level).toBe("store-crash");
    expect(warnings).toHaveLength(1);
    for (const part of ["store-crash", "power-loss", 'set it to "always"'])
      expect(warnings[0]).toContain(part);
  });

  it("is expected to outlive a crash of the store, if nothing is asked", () => {
    expect(toDurability({ level: "store-crash", problems }).warnings).toEqual([]);
    expect(toDurability({ level: "node-crash", problems: [] }).warnings).toHaveLength(1);
  });

  it.each([
    ["Redis", (port: number) => redis(`redis://127.0.0.1:${port}`)],
    ["PostgreSQL", (port: number) => postgres(`postgres://test@127.0.0.1:${port}/test`)],
    ["NATS", (port: number) => nats(`nats://127.0.0.1:${port}`)],
  ])("is an error of ours, with the reason, while %s can't be reached", async (_, open) => {
    const state = open(await closedPort());
    onTestFinished(() => state.close());
    await expect(state.durability()).rejects.toMatchObject({
      code: "overloaded",
      name: "StoreUnavailableError",
      message: expect.stringMatching(/^The store does not say how durable it is: \S/),
      cause: expect.any(Error),
    });
  });

  it("is none in memory, where nobody expects more", () => {
    expect(memoryState().durability()).toEqual({ level: "none", warnings: [] });
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
