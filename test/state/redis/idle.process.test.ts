// A process ends by itself although it has used a state and has not closed it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hasRedis, ownPrefix, url } from "./support.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

function run(program: string) {
  const args = ["--input-type=module", "--eval", program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    timeout: 15_000,
  });
  return { stdout, stderr, status };
}

describe.skipIf(!hasRedis)("a process that has done its work", () => {
  const prefix = ownPrefix();

  it.each([
    ["a URL", `redis(${JSON.stringify(url)}, { prefix: "${prefix}" })`],
    ["an unreferenced client of redis", `redis(client, { prefix: "${prefix}" })`],
  ])("ends, with %s", (_, target) => {
    const program = `
      import { redis } from "allspeak/state/redis";
      import { createClient } from "redis";
      const client = await createClient({ url: ${JSON.stringify(url)} }).connect();
      const state = ${target};
      const hinted = new Promise((resolve) => state.events.watch("stream", resolve));
      await state.values.put("a", "kept", 5_000);
      console.log(await state.values.get("a"));
      client.unref();
    `;
    expect(run(program)).toEqual({ stdout: "kept\n", stderr: "", status: 0 });
  });
});

it("a process whose server is away gets an error, and ends", () => {
  const program = `
    import { redis } from "allspeak/state/redis";
    const state = redis("redis://127.0.0.1:1");
    state.events.watch("stream", () => {});
    for (let at = 0; at < 3; at++) await state.values.get("a").catch(({ message }) => console.log(message));
  `;
  expect(run(program)).toEqual({
    // Also where no attempt is made, since the last one failed a moment ago.
    stdout: expect.stringMatching(/^(?:.*ECONNREFUSED.*\n){3}$/),
    stderr: "",
    status: 0,
  });
});
