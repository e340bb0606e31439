import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FakeOAuthServer, startFakeOAuthServer } from "../../support/auth/fake-oauth-server.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const program = fileURLToPath(new URL("fixtures/oauth-client.mjs", import.meta.url));

interface Said {
  readonly windows: number;
  readonly failures?: readonly string[];
}

class Process {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(world: FakeOAuthServer, folder: string) {
    this.#child = spawn(process.execPath, [program, world.url, folder]);
    this.#child.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async said(): Promise<Said> {
    const { value } = await this.#lines.next();
    return JSON.parse(value);
  }

  call(times: number): Promise<Said> {
    this.#child.stdin.write(`${times}\n`);
    return this.said();
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.stdin.end();
    await ended;
  }
}

function start(world: FakeOAuthServer, folder: string): Process {
  const process_ = new Process(world, folder);
  onTestFinished(() => process_.end());
  return process_;
}

describe("three processes that share a store", { timeout: 60_000 }, () => {
  it("open one window when they log in at once", async () => {
    const world = await startFakeOAuthServer();
    const folder = createTemporaryFolder();
    const processes = [1, 2, 3].map(() => start(world, folder));
    const said = await Promise.all(processes.map((each) => each.said()));
    expect(said.map(({ windows }) => windows).sort()).toEqual([0, 0, 1]);
    expect(world.registered.size).toBe(1);
    await Promise.all(processes.map((each) => each.end()));
  });

  it("refresh a rotating token once between them, with 50 calls each", async () => {
    const world = await startFakeOAuthServer();
    const folder = createTemporaryFolder();
    const processes = [1, 2, 3].map(() => start(world, folder));
    await Promise.all(processes.map((each) => each.said()));
    for (let round = 1; round <= 3; round++) {
      world.endAccessTokens();
      const said = await Promise.all(processes.map((each) => each.call(50)));
      expect(said.flatMap(({ failures }) => failures)).toEqual([]);
      expect(world.grants.filter((grant) => grant === "refresh_token")).toHaveLength(round);
    }
    expect(world.reuses).toBe(0);
    expect(world.at("/authorize")).toHaveLength(1);
    await Promise.all(processes.map((each) => each.end()));
  });

  it("go on when one of them is killed while it holds the lock", async () => {
    let kill = () => {};
    let isKilled = false;
    const world = await startFakeOAuthServer({
      intercept: ({ path, body }) => {
        if (path !== "/token" || body.grant_type !== "refresh_token" || isKilled) return undefined;
        isKilled = true;
        kill();
        // Never answered: whoever asked is gone.
        return true;
      },
    });
    const folder = createTemporaryFolder();
    const [first, second] = [start(world, folder), start(world, folder)];
    await Promise.all([first.said(), second.said()]);
    kill = () => first.kill();
    world.endAccessTokens();
    void first.call(1).catch(() => {});
    await expect.poll(() => isKilled).toBe(true);
    const said = await second.call(5);
    expect(said.failures).toEqual([]);
    expect(world.at("/authorize")).toHaveLength(1);
    await second.end();
  });
});
