import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Channel } from "../../src/contract/channel.ts";
import type { ProcessError } from "../../src/errors.ts";
import { hurry } from "../support/hurry.ts";
import { type Connection, open, serverPath } from "./fixtures/connection.ts";
import { isRunning, untilGone } from "./fixtures/liveness.ts";

const opened: Connection[] = [];

async function connect(...args: Parameters<typeof open>): Promise<Connection> {
  const connection = await open(...args);
  opened.push(connection);
  return connection;
}

/** Writes until that is refused, a turn after the other. */
async function firstFailure(channel: Channel): Promise<unknown> {
  for (;;) {
    try {
      await channel.notify("later", {});
      await setImmediate();
    } catch (error) {
      return error;
    }
  }
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
});

describe("a child process", () => {
  test("answers, in its own folder, with its own arguments", async () => {
    const cwd = realpathSync(tmpdir());
    const { channel } = await connect({ args: [serverPath, "a b", 'c"d', "$HOME"], cwd });
    expect(await channel.request("about", {})).toMatchObject({ cwd, args: ["a b", 'c"d', "$HOME"] });
  });

  test("gets the environment that was chosen for it", async () => {
    vi.stubEnv("ALLSPEAK_TEST_SECRET", "secret");
    const { channel } = await connect({ env: { GIVEN: "1" } });
    const { env } = await channel.request("about", {});
    vi.unstubAllEnvs();
    expect(env).toMatchObject({ GIVEN: "1", PATH: process.env.PATH });
    expect(env).not.toHaveProperty("ALLSPEAK_TEST_SECRET");
  });

  test("each connection has a process of its own", async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    const [first, second] = await Promise.all([
      one.channel.request("about", {}),
      two.channel.request("about", {}),
    ]);
    expect(first.pid).not.toBe(second.pid);
  });

  test("leads a process group of its own", async () => {
    const { channel } = await connect();
    const { pid } = await channel.request("about", {});
    expect(process.kill(-(pid as number), 0)).toBe(true);
  });

  test("is not started for a connection that is not wanted any more", async () => {
    const { stdioTransport } = await import("../../src/transports/stdio/transport.ts");
    const receiver = { onRequest: () => ({}), onNotification() {}, onProblem() {}, onClose() {} };
    const opening = stdioTransport({ command: process.execPath }).open({
      receiver,
      signal: AbortSignal.abort(),
    });
    await expect(opening).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("a command that can't be started", () => {
  test.each([
    ["no such program", { command: "allspeak-no-such-program" }, /no such program.*PATH.*ENOENT/],
    ["a file that is not executable", { command: import.meta.filename }, /executable.*EACCES/],
    ["no such folder", { cwd: "/allspeak/no/such/folder" }, /"\/allspeak\/no\/such\/folder" is not a folder/],
    ["a zero character", { args: ["secret\0"] }, /zero character/],
  ])("%s: the error says what to look at", async (_, command, message) => {
    await expect(open(command)).rejects.toMatchObject({
      code: "process",
      message: expect.stringMatching(message),
    });
  });

  test("an empty command is a mistake of the caller", async () => {
    await expect(open({ command: "" })).rejects.toMatchObject({ code: "usage" });
  });

  test("neither arguments nor environment show up in the error", async () => {
    const hidden = { args: ["--token=secret-1"], env: { TOKEN: "secret-2" } };
    for (const command of ["allspeak-no-such-program", import.meta.filename]) {
      const error = await open({ ...hidden, command }).catch((thrown: unknown) => thrown);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("secret");
    }
  });
});

describe("a child that ends", () => {
  test("by itself: pending calls fail with its exit code and its last words", async () => {
    const { channel, closed } = await connect();
    await channel.request("log", { lines: ["first", "", "last"] });
    const pending = channel.request("never", {}).catch((error: unknown) => error);
    void channel.request("exit", { code: 3 }).catch(() => {});
    expect(await pending).toMatchObject({
      code: "process",
      exitCode: 3,
      signal: null,
      stderr: ["first", "last"],
    });
    expect((await closed).message).toMatch(/exited with code 3.*"stderr"/);
    await expect(channel.request("echo", {})).rejects.toMatchObject({ code: "process" });
  });

  test("by a signal: the error names it", async () => {
    const { channel } = await connect();
    const failure = await channel.request("crash", {}).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "process", exitCode: null, signal: "SIGKILL" });
  });

  test("at once, before anything could be sent", async () => {
    const { closed } = await connect({ args: ["-e", "console.error('no'); process.exit(9)"] });
    expect(await closed).toMatchObject({ code: "process", exitCode: 9, stderr: ["no"] });
  });

  test("everything that it wrote before is delivered first, even if others hold its output open", async () => {
    const { channel, notifications, closed } = await connect();
    const helper = await channel.request("spawn", { flags: [] });
    void channel.request("burst", { count: 20_000, code: 0 }).catch(() => {});
    expect(await closed).toMatchObject({ code: "process", exitCode: 0 });
    expect(notifications).toHaveLength(20_000);
    await untilGone([helper.pid as number], 5_000);
  });

  test("whoever writes to it meanwhile hears how it ended", async () => {
    const { channel } = await connect();
    await channel.request("closeInput", { thenExit: 4 });
    expect(await firstFailure(channel)).toMatchObject({ code: "process", exitCode: 4 });
  });

  test("an unfinished last line is reported", async () => {
    const { problems, closed } = await connect({ args: ["-e", "process.stdout.write('{\"jsonrpc\"')"] });
    await closed;
    expect(problems.map(String)).toEqual([expect.stringContaining('{"jsonrpc"')]);
  });

  test.each(["closeInput", "closeOutput"])(
    "a child that closes one pipe and stays is ended (%s)",
    async (method) => {
      hurry();
      const { channel, closed } = await connect();
      const { pid } = await channel.request("about", {});
      void channel.request(method, {}).catch(() => {});
      if (method === "closeInput") await firstFailure(channel);
      expect(await closed).toMatchObject({ code: "connection-closed" });
      await untilGone([pid as number], 5_000);
    },
  );
});

describe("closing", () => {
  test("a child that leaves at the end of its input is not signalled", async () => {
    const script = `
      process.on("SIGTERM", () => console.error("signalled"));
      process.stdin.on("end", () => console.error("ended")).resume();
      console.log(JSON.stringify({ jsonrpc: "2.0", method: "ready" }));
    `;
    const lines: string[] = [];
    const { notifications, close } = await open({ args: ["-e", script], stderr: (line) => lines.push(line) });
    while (notifications.length === 0) await setImmediate();
    await close();
    expect(lines).toEqual(["ended"]);
  });

  test("what was sent before still arrives", async () => {
    const lines: string[] = [];
    const { channel, close } = await open({ stderr: (line) => lines.push(line) });
    await channel.notify("log", { lines: ["heard"] });
    await close();
    expect(lines).toEqual(["heard"]);
  });

  test("a child that resists is killed, and all that it started", async () => {
    const { channel, close, closed } = await open({ shutdown: { closeMs: 100, termMs: 100 } });
    const pids = [await channel.request("about", {})];
    for (const detached of [false, true])
      pids.push(await channel.request("spawn", { flags: ["resist"], detached }));
    await channel.request("resist", {});
    const pending = channel.request("never", {}).catch((error: unknown) => error);
    await close();
    expect(await pending).toMatchObject({ code: "connection-closed" });
    expect(await closed).toMatchObject({ code: "connection-closed" });
    await untilGone(
      pids.map(({ pid }) => pid as number),
      1_000,
    );
  });

  test("those that a child leaves behind in its group are ended too", async () => {
    const { channel, close } = await open();
    const { pid } = await channel.request("spawn", { flags: [] });
    await close();
    expect(isRunning(pid as number)).toBe(false);
  });

  test("may be done twice, and leaves no listeners behind", async () => {
    const before = countListeners();
    const connection = await open();
    expect(process.listenerCount("exit")).toBe((before.exit ?? 0) + 1);
    const second = await open();
    expect(process.listenerCount("exit")).toBe((before.exit ?? 0) + 1);
    await Promise.all([connection.close(), connection.close(), second.close()]);
    await connection.close();
    expect(countListeners()).toEqual(before);
  });
});

describe("what a child writes to stderr", () => {
  const say = ["-e", "console.error('one'); console.error('two'); process.exit(1)"];

  test("goes to ours by default, and into the error", async () => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stderr, "write").mockImplementation((chunk: unknown, done: unknown) => {
      written.push(String(chunk));
      (done as () => void)();
      return true;
    });
    const { closed } = await connect({ args: say, stderr: "inherit" });
    expect(await closed).toMatchObject({ stderr: ["one", "two"] });
    spy.mockRestore();
    expect(written.join("")).toBe("one\ntwo\n");
  });

  test("is not read at all when it is ignored", async () => {
    const { closed } = await connect({ args: say, stderr: "ignore" });
    expect(await closed).toMatchObject({ exitCode: 1, stderr: [] });
  });

  test("is kept to the last lines, however much it is", async () => {
    const flood = "for (let i = 0; i < 5000; i++) console.error(i + 'x'.repeat(2000)); process.exitCode = 1";
    const { closed } = await connect({ args: ["-e", flood] });
    const { stderr } = (await closed) as ProcessError;
    expect(stderr).toHaveLength(20);
    expect(stderr.at(-1)).toMatch(/^4999x+…$/);
    expect(stderr.join("").length).toBeLessThanOrEqual(20 * 500);
  });
});

describe("what does not belong on a child's stdout", () => {
  test("is skipped and reported, with or without a newline", async () => {
    const { channel, problems } = await connect();
    await channel.request("noise", { text: "Listening\n" });
    await channel.request("noise", { text: "Loading..." });
    expect(await channel.request("echo", { a: 1 })).toEqual({ a: 1 });
    expect(problems.map((problem) => problem.message)).toEqual([
      "Skipped output that is not a message: Listening",
      "Skipped output that is not a message: Loading...",
    ]);
  });

  test("is skipped and shown, if it is a log in JSON", async () => {
    const { channel, problems } = await connect();
    const lines = [
      '{"level":30,"msg":"ready"}',
      '{"method":"GET","path":"/"}',
      '{"id":7,"msg":"\\u001b"}',
      "[{}]",
    ];
    for (const line of lines) await channel.request("noise", { text: `${line}\n` });
    expect(await channel.request("echo", { a: 1 })).toEqual({ a: 1 });
    expect(problems.map((problem) => problem.message)).toEqual(
      lines.map((line) => `Skipped output that is not a message: ${line}`),
    );
  });

  test("an answer without its version fails its call, and is no log", async () => {
    const { channel } = await connect();
    const call = channel.request("noise", { text: '{"id":1,"result":{}}\n' });
    await expect(call).rejects.toMatchObject({ code: "invalid-response" });
  });

  test("an answer over the limit fails its call alone", async () => {
    const { channel } = await connect({ maxMessageBytes: 100_000 });
    const [small, big] = await Promise.allSettled([
      channel.request("echo", { a: 1 }),
      channel.request("big", { bytes: 200_000 }),
    ]);
    expect(small).toEqual({ status: "fulfilled", value: { a: 1 } });
    expect(big).toMatchObject({ status: "rejected", reason: { code: "message-too-large" } });
    expect(await channel.request("echo", { b: 2 })).toEqual({ b: 2 });
  });

  test("an answer that is not UTF-8 fails its call alone", async () => {
    const { channel } = await connect();
    await expect(channel.request("broken", {})).rejects.toMatchObject({ code: "invalid-response" });
    expect(await channel.request("echo", { b: 2 })).toEqual({ b: 2 });
  });
});

test("a script without its interpreter is told from a missing program", async () => {
  const folder = mkdtempSync(join(tmpdir(), "allspeak-"));
  const script = join(folder, "server");
  writeFileSync(script, "#!/no/such/interpreter\n", { mode: 0o755 });
  await expect(open({ command: script })).rejects.toThrow(/first line if it is a script/);
  rmSync(folder, { recursive: true });
});

function countListeners(): Record<string, number> {
  const events = ["exit", "SIGINT", "SIGTERM", "SIGHUP"];
  return Object.fromEntries(events.map((event) => [event, process.listenerCount(event)]));
}
