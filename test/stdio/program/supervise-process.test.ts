import { once } from "node:events";
import { constants } from "node:os";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type ShutdownReason,
  type SuperviseOptions,
  type Supervision,
  superviseProcess,
} from "../../../src/node/serve/supervise-process.ts";

// A signal that test runners don't use.
const signal = "SIGUSR2";
let supervision: Supervision | undefined;
let stderr: string[];

beforeEach(() => {
  stderr = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => stderr.push(String(text)) > 0);
});

afterEach(() => {
  supervision?.release();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function supervise(options: Partial<SuperviseOptions> = {}) {
  const reasons: ShutdownReason[] = [];
  let onExit = (_code: number): void => {};
  const exited = new Promise<number>((resolve) => {
    onExit = resolve;
  });
  const exit = vi.fn((code: number) => onExit(code));
  const onShutdown = (reason: ShutdownReason): void => void reasons.push(reason);
  supervision = superviseProcess({
    onShutdown,
    signals: { [signal]: constants.signals[signal] },
    exit,
    ...options,
  });
  return { reasons, exit, exited, shutdown: supervision.shutdown };
}

describe("shutting down", () => {
  test("runs the hooks, then exits", async () => {
    const order: string[] = [];
    const { exited, shutdown } = supervise({
      onShutdown: async () => {
        await setImmediate();
        order.push("hooks");
      },
    });
    shutdown("connection-closed");
    expect(await exited).toBe(0);
    order.push("exit");
    expect(order).toEqual(["hooks", "exit"]);
  });

  test("happens once, for the first reason", async () => {
    const { reasons, exit, exited, shutdown } = supervise();
    shutdown("connection-closed");
    shutdown("parent-gone");
    await exited;
    await setImmediate();
    expect(reasons).toEqual(["connection-closed"]);
    expect(exit).toHaveBeenCalledTimes(1);
  });

  test("does not wait for hooks that never settle, and says so", async () => {
    const { exited, shutdown } = supervise({ graceMs: 20, onShutdown: () => new Promise(() => {}) });
    shutdown("connection-closed");
    expect(await exited).toBe(0);
    expect(stderr.join("")).toContain("longer than 20 ms");
  });

  test.each([
    [
      "throw",
      () => {
        throw new Error("hook broke");
      },
    ],
    ["reject", () => Promise.reject(new Error("hook broke"))],
  ])("survives hooks that %s", async (_, onShutdown) => {
    const { exited, shutdown } = supervise({ onShutdown });
    shutdown("connection-closed");
    expect(await exited).toBe(0);
    expect(stderr.join("")).toContain("hook broke");
  });
});

describe("signals", () => {
  test("a signal shuts down, and the exit code tells of it", async () => {
    const { reasons, exited } = supervise();
    process.kill(process.pid, signal);
    expect(await exited).toBe(128 + constants.signals[signal]);
    expect(reasons).toEqual([signal]);
  });

  test("a second one does not wait for the hooks", async () => {
    let finish = () => {};
    const hook = new Promise<void>((resolve) => {
      finish = resolve;
    });
    // Here the process lives on, and would say after its grace that the shutdown took too long.
    onTestFinished(() => finish());
    const { exit, exited } = supervise({ graceMs: 60_000, onShutdown: () => hook });
    process.kill(process.pid, signal);
    await once(process, signal);
    expect(exit).not.toHaveBeenCalled();
    process.kill(process.pid, signal);
    expect(await exited).toBe(128 + constants.signals[signal]);
  });

  test("a signal after the end of input lets the hooks finish", async () => {
    const { exit, exited, shutdown } = supervise({ graceMs: 50, onShutdown: () => new Promise(() => {}) });
    shutdown("connection-closed");
    process.kill(process.pid, signal);
    await once(process, signal);
    expect(exit).not.toHaveBeenCalled();
    expect(await exited).toBe(0);
  });

  test("nothing is left behind after release", () => {
    const before = process.listenerCount(signal);
    supervise();
    expect(process.listenerCount(signal)).toBe(before + 1);
    supervision?.release();
    expect(process.listenerCount(signal)).toBe(before);
  });
});

describe("the parent", () => {
  test("a new parent means that the old one is gone", async () => {
    const ppid = vi.spyOn(process, "ppid", "get").mockReturnValue(4711);
    const { reasons, exited } = supervise({ parentPollMs: 5 });
    ppid.mockReturnValue(1);
    expect(await exited).toBe(0);
    expect(reasons).toEqual(["parent-gone"]);
  });

  test("is left alone when asked", () => {
    const ppid = vi.spyOn(process, "ppid", "get").mockReturnValue(4711);
    vi.useFakeTimers();
    const { reasons } = supervise({ watchParent: false });
    ppid.mockReturnValue(1);
    vi.advanceTimersByTime(10_000);
    expect(reasons).toEqual([]);
  });

  test("watching it does not keep the process alive", () => {
    const timers = vi.spyOn(globalThis, "setInterval");
    supervise();
    const [timer] = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(timer?.hasRef()).toBe(false);
  });
});
