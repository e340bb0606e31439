import { inspect } from "node:util";
import type { State } from "allspeak/http";
import { nats } from "allspeak/state/nats";
import { postgres } from "allspeak/state/postgres";
import { redis } from "allspeak/state/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { hasNats, OwnServer } from "./nats/support.ts";
import { hasPostgres, url as postgresUrl } from "./postgres/support.ts";
import { RedisServer } from "./redis/redis-server.ts";
import { hasRedis } from "./redis/support.ts";

/** The URL with a user and a password. */
function withPassword(url: string, protocol: string = new URL(url).protocol): string {
  const { host, pathname } = new URL(url);
  return `${protocol}//nobody:hunter2@${host}${pathname}`;
}

/** The errors of the first use of a state, and of its look at the durability. */
async function failuresOf(state: State): Promise<Error[]> {
  onTestFinished(() => state.close());
  const uses = [() => state.values.get("key"), () => state.values.get("key"), () => state.durability()];
  const failures: Error[] = [];
  for (const use of uses)
    await Promise.resolve(use()).then(
      () => {
        throw new Error("It was let in.");
      },
      (error: Error) => failures.push(error),
    );
  return failures;
}

describe("the password in the URL of a store that refuses it is in no error,", () => {
  it.skipIf(!hasRedis)("of Redis", async () => {
    const { url } = await RedisServer.start(["--requirepass", "another"]);
    const failures = await failuresOf(redis(withPassword(url)));
    for (const { message } of failures) expect(message).toContain("WRONGPASS");
    expect(inspect(failures, { depth: 10 })).not.toContain("hunter2");
  });

  it.skipIf(!hasPostgres)("of PostgreSQL", async () => {
    const failures = await failuresOf(postgres(withPassword(postgresUrl)));
    expect(failures[0]?.message).toContain('role "nobody" does not exist');
    expect(inspect(failures, { depth: 10 })).not.toContain("hunter2");
  });

  it.skipIf(!hasNats)("of NATS", async () => {
    const settings = ["-js", "-sd", createTemporaryFolder(), "--user", "me", "--pass", "another"];
    const { url } = await OwnServer.start(settings, onTestFinished);
    for (const protocol of ["nats:", "tls:"]) {
      const failures = await failuresOf(nats(withPassword(url, protocol)));
      expect(failures[0]?.message).toMatch(/Authorization Violation|does not support 'tls'/);
      expect(inspect(failures, { depth: 10 })).not.toContain("hunter2");
    }
  });
});
