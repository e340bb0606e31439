import { startBackgroundTimer } from "../../lib/async/timers.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import { writeStderr } from "../../transports/stdio/write-stderr.ts";

/** The reason why a server process ends. `connection-closed` covers the end of input and an output without a reader. */
export type ShutdownReason = "connection-closed" | "parent-gone" | NodeJS.Signals;

export interface SuperviseOptions {
  /** Aborts work, runs hooks, flushes output. The process exits when it settles. */
  readonly onShutdown: (reason: ShutdownReason) => void | Promise<void>;
  /**
   * The grace period, after which the process exits whatever `onShutdown` does. Default: 800 ms.
   *
   * Clients wait one to two seconds between closing the input and sending signals.
   */
  readonly graceMs?: number | undefined;
  /**
   * Ends this process when its parent process is gone. Default: true.
   *
   * The death of a parent usually closes our input, but not when another process holds
   * the other end. Turn it off for a server that should outlive its parent.
   */
  readonly watchParent?: boolean | undefined;
  readonly parentPollMs?: number;
  /** The signals that end the process, with their numbers. Default: SIGINT and SIGTERM. */
  readonly signals?: { readonly [signal in NodeJS.Signals]?: number };
  readonly exit?: (code: number) => void;
}

export interface Supervision {
  /** Starts the shutdown; only the first reason counts. */
  shutdown(reason: Exclude<ShutdownReason, NodeJS.Signals>): void;
  /** Removes the signal listeners and timers. */
  release(): void;
}

const defaultGraceMs = 800;
const defaultPollMs = 1_000;
/** Their numbers are the same on all systems; node:os would know them, too, and takes a millisecond to load. */
const defaultSignals: NonNullable<SuperviseOptions["signals"]> = { SIGINT: 2, SIGTERM: 15 };

/** Ends this process in order and in bounded time, whatever timers or sockets are alive. */
export function superviseProcess(options: SuperviseOptions): Supervision {
  const numbers = options.signals ?? defaultSignals;
  const signals = Object.keys(numbers) as NodeJS.Signals[];
  const exit = options.exit ?? ((code: number) => process.exit(code));
  let reason: ShutdownReason | undefined;

  const end = (why: ShutdownReason, code: number): void => {
    if (reason !== undefined) return;
    reason = why;
    clearInterval(parentWatch);
    void runShutdown(options, why).then(() => exit(code));
  };
  const shutdown: Supervision["shutdown"] = (why) => end(why, 0);
  const onSignal = (signal: NodeJS.Signals): void => {
    // The exit code that shells expect of a process ended by a signal.
    const code = 128 + (numbers[signal] ?? 0);
    // A second signal ends the process at once.
    if (reason !== undefined && reason !== "connection-closed") exit(code);
    else end(signal, code);
  };
  const parentWatch = options.watchParent === false ? undefined : watchParent(options, shutdown);
  for (const signal of signals) process.on(signal, onSignal);

  return {
    shutdown,
    release: () => {
      clearInterval(parentWatch);
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

async function runShutdown(options: SuperviseOptions, reason: ShutdownReason): Promise<void> {
  const graceMs = options.graceMs ?? defaultGraceMs;
  try {
    const done = Promise.resolve(options.onShutdown(reason));
    if (!(await settlesWithin(graceMs, done)))
      writeStderr(`Shutdown took longer than ${graceMs} ms; exiting.\n`);
  } catch (error) {
    writeStderr(`Shutdown failed: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
  }
}

function watchParent(
  { parentPollMs = defaultPollMs }: SuperviseOptions,
  shutdown: Supervision["shutdown"],
): NodeJS.Timeout | undefined {
  // Windows keeps the id of the first parent.
  if (process.platform === "win32") return undefined;
  const parent = process.ppid;
  return startBackgroundTimer(() => {
    if (process.ppid !== parent) shutdown("parent-gone");
  }, parentPollMs);
}
