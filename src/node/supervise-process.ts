import { constants } from "node:os";
import { startBackgroundTimer } from "../lib/timers.ts";
import { settlesWithin } from "../lib/wait-at-most.ts";
import { writeStderr } from "../transports/stdio/write-stderr.ts";

/** Why a server process ends. A lost connection covers end of input and an output that nobody reads. */
export type ShutdownReason = "connection-closed" | "parent-gone" | NodeJS.Signals;

export interface SuperviseOptions {
  /** Aborts work, runs hooks, writes what is left. The process exits when it settles. */
  readonly onShutdown: (reason: ShutdownReason) => void | Promise<void>;
  /**
   * After this long the process exits whatever `onShutdown` does. Default: 800 ms.
   *
   * Clients wait about a second or two between closing the input and sending signals.
   */
  readonly graceMs?: number | undefined;
  /**
   * Whether to end when the process that started this one is gone. Default: true.
   *
   * A parent that is killed usually closes our input; not so when another process holds
   * on to the other end. Turn it off for a server that is meant to outlive its starter.
   */
  readonly watchParent?: boolean | undefined;
  readonly parentPollMs?: number;
  /** Default: SIGINT and SIGTERM. */
  readonly signals?: readonly NodeJS.Signals[];
  readonly exit?: (code: number) => void;
}

export interface Supervision {
  /** Starts the shutdown; only the first reason counts. */
  shutdown(reason: ShutdownReason): void;
  /** Lets go of signals and timers; the process is on its own again. */
  release(): void;
}

const defaultGraceMs = 800;
const defaultPollMs = 1_000;

/** Ends this process in an orderly way and in bounded time, whatever timers or sockets are alive. */
export function superviseProcess(options: SuperviseOptions): Supervision {
  const signals = options.signals ?? ["SIGINT", "SIGTERM"];
  const exit = options.exit ?? ((code: number) => process.exit(code));
  let reason: ShutdownReason | undefined;

  const shutdown = (why: ShutdownReason): void => {
    if (reason !== undefined) return;
    reason = why;
    clearInterval(parentWatch);
    void runShutdown(options, why).then(() => exit(toExitCode(why)));
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // Whoever asks a second time does not want to wait.
    if (reason !== undefined && reason !== "connection-closed") exit(toExitCode(signal));
    else shutdown(signal);
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
  shutdown: (reason: ShutdownReason) => void,
): NodeJS.Timeout | undefined {
  // Windows never tells of a new parent.
  if (process.platform === "win32") return undefined;
  const parent = process.ppid;
  return startBackgroundTimer(() => {
    if (process.ppid !== parent) shutdown("parent-gone");
  }, parentPollMs);
}

/** A process that a signal ended says so, as shells expect. */
function toExitCode(reason: ShutdownReason): number {
  if (reason === "connection-closed" || reason === "parent-gone") return 0;
  return 128 + constants.signals[reason];
}
