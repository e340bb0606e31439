// The stdio rows of the table of threats, each named after its row.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Channel } from "../../src/contract/channel.ts";
import { LineReader } from "../../src/transports/framing/line-reader.ts";
import { type Connection, open } from "./fixtures/connection.ts";
import { isRunning, untilGone } from "./fixtures/liveness.ts";

const megabyte = 1024 * 1024;
const allspeakServer = fixture("allspeak-server.mjs");

describe("P1: a child that is killed in the middle of a call", () => {
  test("fails pending calls within a second, even if others hold its output open", async () => {
    const { channel, close } = await open();
    const { pid } = await channel.request("about", {});
    const helper = await channel.request("spawn", { flags: ["resist"] });
    const pending = [1, 2, 3].map(() => channel.request("never", {}).catch((error: unknown) => error));
    const startedAt = Date.now();
    process.kill(pid as number, "SIGKILL");
    for (const outcome of await Promise.all(pending)) expect(outcome).toMatchObject({ signal: "SIGKILL" });
    expect(Date.now() - startedAt).toBeLessThanOrEqual(1_000);
    await close();
    expect(isRunning(helper.pid as number)).toBe(false);
  });
});

describe("P2: a server exits within a second", () => {
  test.each([
    ["nothing else going on", []],
    ["live timers and sockets", ["timers", "sockets"]],
    ["a hook that never settles", ["timers", "stuck-hook"]],
  ])("after the end of its input, with %s", async (_, flags) => {
    const server = await startServer(flags);
    server.say({ id: 2, method: "tools/call", params: { name: "hang", arguments: {} } });
    const startedAt = Date.now();
    server.process.stdin?.end();
    expect(await server.exited).toEqual([0, null]);
    expect(Date.now() - startedAt).toBeLessThanOrEqual(1_000);
    expect(server.stderr.join("")).toContain("hook ran: connection-closed");
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("after %s", async (signal, code) => {
    const server = await startServer(["timers", "sockets"]);
    const startedAt = Date.now();
    server.process.kill(signal);
    expect(await server.exited).toEqual([code, null]);
    expect(Date.now() - startedAt).toBeLessThanOrEqual(1_000);
    expect(server.stderr.join("")).toContain(`hook ran: ${signal}`);
  });

  test("when nobody reads its output any more", async () => {
    const server = await startServer(["timers", "sockets"]);
    const startedAt = Date.now();
    server.process.stdout?.destroy();
    await once(server.process.stdout as object as NodeJS.EventEmitter, "close");
    server.say({ id: 2, method: "ping" });
    expect(await server.exited).toEqual([0, null]);
    expect(Date.now() - startedAt).toBeLessThanOrEqual(1_000);
  });

  test("when its parent is killed", async () => {
    const { launcher, pids } = await launch([]);
    launcher.kill("SIGKILL");
    expect(await untilGone(pids, 5_000)).toBeLessThanOrEqual(1_000);
  });

  test("or little later, when its parent is killed and somebody else holds its input open", async () => {
    const { launcher, pids } = await launch(["share-input"]);
    const [server, holder] = pids as [number, number];
    launcher.kill("SIGKILL");
    expect(await untilGone([server], 5_000)).toBeLessThanOrEqual(2_500);
    expect(isRunning(holder)).toBe(true);
  });

  async function launch(flags: string[]): Promise<{ launcher: ChildProcess; pids: number[] }> {
    const launcher = start([fixture("launcher.mjs"), ...flags], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const [{ pids }] = (await once(launcher, "message")) as [{ pids: number[] }];
    onTestFinished(() => killAll(pids));
    return { launcher, pids };
  }
});

describe("P3: the whole process tree is gone", () => {
  test("within five seconds of close, though every process of it resists", async () => {
    const { channel, close } = await open();
    const pids = [await channel.request("about", {})];
    for (const detached of [false, true])
      pids.push(await channel.request("spawn", { flags: ["resist"], detached }));
    await channel.request("resist", {});
    const startedAt = Date.now();
    await close();
    await untilGone(
      pids.map(({ pid }) => pid as number),
      5_000,
    );
    expect(Date.now() - startedAt).toBeLessThanOrEqual(5_000);
  });

  test.each([
    ["exits without closing", "exit", undefined],
    ["dies of an exception", "throw", undefined],
    ["is ended by a signal that it does not handle", "die of a signal", "SIGINT"],
    ["is ended by a signal that it handles by exiting", "handle a signal", "SIGTERM"],
  ] as const)("within five seconds when the client's process %s", async (_, way, signal) => {
    const { host, pids } = await startHost(way);
    const exited = once(host, "exit");
    if (signal) host.kill(signal);
    else host.send("leave");
    expect(await untilGone(pids, 5_000)).toBeLessThanOrEqual(5_000);
    const ends = {
      exit: [0, null],
      throw: [1, null],
      "die of a signal": [null, signal],
      "handle a signal": [7, null],
    };
    expect(await exited).toEqual(ends[way]);
  });

  test("but not when the client's process gets a signal and decides to go on", async () => {
    const { host, pids } = await startHost("live through a signal");
    for (const _ of ["once", "and again"]) {
      host.kill("SIGTERM");
      expect(await once(host, "message")).toEqual(["alive", undefined]);
      expect(pids.every(isRunning)).toBe(true);
    }
    host.send("leave");
    await untilGone(pids, 5_000);
  });

  async function startHost(way: string): Promise<{ host: ChildProcess; pids: number[] }> {
    const host = start([fixture("host.mjs"), way], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const [{ pids }] = (await once(host, "message")) as [{ pids: number[] }];
    onTestFinished(() => killAll(pids));
    expect(pids.every(isRunning)).toBe(true);
    return { host, pids };
  }
});

describe("P4: stray output on stdout", () => {
  const calls = 10_000;

  test("our server diverts it: 10,000 calls, none lost, nothing skipped", async () => {
    const { channel, problems } = await connectToServer();
    const texts = await inParallel(calls, async (index) => {
      const { content } = await callTool(channel, "noisy", { text: `call ${index}` });
      return content;
    });
    expect(texts).toEqual(
      Array.from({ length: calls }, (_, index) => [{ type: "text", text: `call ${index}` }]),
    );
    expect(problems).toEqual([]);
  });

  test("our client skips it: 10,000 calls, none lost, all stray output counted", async () => {
    const { channel, problems, close } = await open();
    onTestFinished(close);
    const answers = await inParallel(calls, (index) => channel.request("noisyEcho", { index }));
    expect(answers).toEqual(Array.from({ length: calls }, (_, index) => ({ index })));
    await close();
    expect(problems).toHaveLength(11);
    expect(problems[10]).toMatchObject({ message: expect.stringContaining(`${2 * calls - 10} more lines`) });
  });
});

describe("P5: a message over 64 MiB fails its request, and the connection lives", () => {
  test("to a server", async () => {
    const { channel } = await connectToServer();
    const text = "x".repeat(65 * megabyte);
    await expect(callTool(channel, "echo", { text })).rejects.toMatchObject({
      wireCode: -32600,
      message: "Message is larger than 67108864 bytes; raise maxMessageBytes if it may be.",
    });
    expect(await channel.request("ping", {})).toEqual({});
  });

  test("to a client", async () => {
    const { channel, close } = await open();
    onTestFinished(close);
    await expect(channel.request("big", { bytes: 65 * megabyte })).rejects.toMatchObject({
      code: "message-too-large",
    });
    expect(await channel.request("echo", { alive: true })).toEqual({ alive: true });
  });

  test("while one just below passes", async () => {
    const { channel, close } = await open();
    onTestFinished(close);
    const { text } = await channel.request("big", { bytes: 63 * megabyte });
    expect((text as string).length).toBe(63 * megabyte);
  });
});

describe("P6: a line of 9 MB", () => {
  test("is put together within 300 ms", () => {
    const line = Buffer.from(`{"text":"${"x".repeat(9_000_000)}"}\n`);
    let received = 0;
    const reader = new LineReader({
      onText: (text) => (received = text.length),
      onStrayOutput() {},
      onUnreadable() {},
    });
    const startedAt = performance.now();
    for (let at = 0; at < line.length; at += 65_536) reader.push(line.subarray(at, at + 65_536));
    expect(performance.now() - startedAt).toBeLessThanOrEqual(300);
    expect(received).toBe(line.length - 1);
  });

  test("goes through a server and back", async () => {
    const { channel } = await connectToServer();
    const text = "x".repeat(9_000_000);
    const { content } = await callTool(channel, "echo", { text });
    expect((content as { text: string }[])[0]?.text.length).toBe(9_000_000);
  });
});

describe("P7: garbage", () => {
  const garbage = `${"garbage ".repeat(12)}\n`;

  test("a line of it gets one answer, without an id", async () => {
    const server = await startServer([]);
    server.process.stdin?.write("\u0000\u0001 not json\n");
    server.say({ id: 2, method: "ping" });
    expect(await server.next()).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
    expect(await server.next()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  test("100,000 lines of it do not grow memory", async () => {
    const server = await startServer([], { nodeFlags: ["--expose-gc"] });
    const opening = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    server.say({ id: 2, method: "initialize", params: opening });
    expect(await server.next()).toMatchObject({ id: 2 });
    const heapAfter = async (lines: number): Promise<number> => {
      server.process.stdin?.write(garbage.repeat(lines));
      server.say({ id: 3, method: "tools/call", params: { name: "heap", arguments: {} } });
      const refusals = new Set<unknown>();
      for (let index = 0; index < lines; index++) refusals.add(toErrorCode(await server.next()));
      expect([...refusals]).toEqual([-32700]);
      const answer = (await server.next()) as { result: { content: [{ text: string }] } };
      return Number(answer.result.content[0].text);
    };
    const before = await heapAfter(1_000);
    expect((await heapAfter(100_000)) - before).toBeLessThan(2 * megabyte);
  });

  test("a sender that does not read the answers is not read any further", async () => {
    const server = await startServer([], { reads: false });
    const { stdin } = server.process;
    const lines = 100_000;
    stdin?.write(garbage.repeat(lines));
    await untilSteady(() => stdin?.writableLength ?? 0);
    expect(stdin?.writableLength).toBeGreaterThan((garbage.length * lines) / 2);
    let answers = 0;
    const counted = new Promise<void>((resolve) => {
      server.process.stdout?.on("data", (chunk: Buffer) => {
        for (const byte of chunk) if (byte === 0x0a) answers++;
        if (answers === lines) resolve();
      });
    });
    await counted;
    expect(answers).toBe(lines);
  });
});

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Ends what a failed test would leave behind. */
function killAll(pids: readonly number[]): void {
  for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

function start(args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, args, options);
  started.push(child);
  return child;
}

/** Our own server as any client would start it, ready to answer. */
async function startServer(flags: string[], { reads = true, nodeFlags = [] as string[] } = {}) {
  const child = start([...nodeFlags, allspeakServer, ...flags], { stdio: ["pipe", "pipe", "pipe"] });
  const stderr: string[] = [];
  child.stderr?.on("data", (chunk) => stderr.push(String(chunk)));
  // Later than the exit itself: by then all of its output has been read.
  const exited = once(child, "close");
  const say = (message: object): void => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  child.stdin?.on("error", () => {});
  say({ id: 1, method: "ping" });
  if (!reads) {
    await once(child.stdout as object as NodeJS.EventEmitter, "readable");
    child.stdout?.read();
    return { process: child, stderr, exited, say, next: () => Promise.reject(new Error("not read")) };
  }
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value);
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  return { process: child, stderr, exited, say, next };
}

/** Our own client in front of our own server. */
async function connectToServer(): Promise<Connection> {
  const connection = await open({ args: [allspeakServer] });
  onTestFinished(connection.close);
  const opening = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  await connection.channel.request("initialize", opening);
  await connection.channel.notify("notifications/initialized", {});
  return connection;
}

function callTool(channel: Channel, name: string, args: Record<string, unknown>) {
  return channel.request("tools/call", { name, arguments: args });
}

function toErrorCode(message: unknown): unknown {
  return (message as { error?: { code: number } }).error?.code;
}

/** Runs so many calls, a hundred at a time. */
async function inParallel<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += 100) {
    const batch = Array.from({ length: Math.min(100, count - from) }, (_, index) => call(from + index));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

/** Waits until a number has stopped changing. */
async function untilSteady(read: () => number): Promise<void> {
  let before = -1;
  await vi.waitUntil(
    () => {
      const isSteady = before === read();
      before = read();
      return isSteady;
    },
    { interval: 200, timeout: 10_000 },
  );
}
