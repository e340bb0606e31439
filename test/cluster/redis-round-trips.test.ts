import { Redis } from "ioredis";
import { expect, it, onTestFinished } from "vitest";
import { connectors, hasRedis, openState, ownPrefix, url } from "../state/redis/support.ts";
import { openSession } from "../support/http/raw-session.ts";
import { openNodes } from "./nodes.ts";

const calls = 20;

/** The commands of all clients that the server gets while something runs. */
async function watchCommands(run: () => Promise<void>): Promise<readonly string[]> {
  const redis = new Redis(url);
  onTestFinished(() => void redis.disconnect());
  const monitor = await redis.monitor();
  onTestFinished(() => void monitor.disconnect());
  const commands: string[] = [];
  const marker = ownPrefix();
  const ended = new Promise<void>((resolve) => {
    monitor.on("monitor", (_time: string, args: readonly string[], source: string) => {
      // The commands of a script are part of its round trip.
      if (source !== "lua") commands.push(args.join(" "));
      if (args.includes(marker)) resolve();
    });
  });
  await run();
  await redis.get(marker);
  await ended;
  return commands;
}

it.skipIf(!hasRedis).each(["2025-03-26", "2025-06-18", "2025-11-25"] as const)(
  "a call in a session of %s takes one round trip to Redis",
  async (revision) => {
    const prefix = ownPrefix();
    const connect = async () => openState(await connectors["a URL and ioredis"](), { prefix });
    const { nodes } = await openNodes({}, connect);
    const session = await openSession(nodes[0].url, revision);
    const call = async () => {
      expect((await (await session.call("big", { bytes: 10 })).result()).result).toBeDefined();
    };
    await call();
    const commands = await watchCommands(async () => {
      for (let count = 0; count < calls; count++) await call();
    });
    // A node also follows its streams, says that it is alive, and looks for tasks, whether there are calls or not.
    const isBesideCalls = (command: string) =>
      /:(?:bus|control|inbox|tasks)|\/(?:bus|control|inbox|node)/.test(command);
    const ofCalls = commands.filter((command) => command.includes(prefix) && !isBesideCalls(command));
    expect(ofCalls).toHaveLength(calls);
    for (const command of ofCalls) expect(command).toContain(session.id);
  },
);
