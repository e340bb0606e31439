import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import type { TrackedChild } from "./child-registry.ts";
import { hasRunningMember, listProcesses, membersAndDescendants } from "./process-list.ts";

/** The exit code of a process, or the signal that ended it. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The time that each step of a shutdown may take before the next, harsher one. */
export interface ShutdownDelays {
  /** Time for the process to exit by itself after its input was closed. */
  readonly closeMs: number;
  /** Time for the whole group to exit after SIGTERM. */
  readonly termMs: number;
}

const isWindows = process.platform === "win32";
const pollMs = 25;
const killedMs = 1_000;

/** A child process and all its descendants. On POSIX it must lead a process group of its own. */
export class ProcessTree implements TrackedChild {
  readonly exit: Promise<ExitStatus>;
  readonly #pid: number;
  #hasExited = false;
  #ending: Promise<void> | undefined;

  constructor(child: ChildProcess, pid: number) {
    this.#pid = pid;
    this.exit = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        this.#hasExited = true;
        resolve({ exitCode, signal });
      });
    });
  }

  /**
   * Shuts the tree down, step by step; resolves when no process of it is left. Only the first call sets the delays.
   *
   * basic/lifecycle#stdio (2025-11-25)
   */
  end(delays: ShutdownDelays = { closeMs: 0, termMs: 1_000 }): Promise<void> {
    this.#ending ??= this.#end(delays);
    return this.#ending;
  }

  killSync(): void {
    if (isWindows)
      spawnSync("taskkill", taskkillArguments(this.#pid), { stdio: "ignore", windowsHide: true });
    else signalProcess(-this.#pid, "SIGKILL");
  }

  async #end({ closeMs, termMs }: ShutdownDelays): Promise<void> {
    await settlesWithin(closeMs, this.exit);
    if (!isWindows && this.#isAlive()) {
      signalProcess(-this.#pid, "SIGTERM");
      await this.#isGoneWithin(termMs);
    }
    if (this.#isAlive()) {
      await this.#kill();
      await this.#isGoneWithin(killedMs);
    }
  }

  async #kill(): Promise<void> {
    if (isWindows) return runTaskkill(this.#pid);
    // Processes that left the group are found through their parents, as long as these live.
    const members = membersAndDescendants(this.#pid, await listProcesses().catch(() => []));
    signalProcess(-this.#pid, "SIGKILL");
    for (const pid of members) signalProcess(pid, "SIGKILL");
  }

  #isAlive(): boolean {
    if (!this.#hasExited) return true;
    if (isWindows || !signalProcess(-this.#pid, 0)) return false;
    // A zombie that is never reaped keeps its group in existence.
    return process.platform !== "linux" || hasRunningMember(this.#pid);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    for (const deadline = Date.now() + ms; Date.now() < deadline; await setTimeout(pollMs)) {
      if (!this.#isAlive()) return true;
    }
    return false;
  }
}

/** Sends a signal; returns false when there is no such process, or we may not. A negative number is a group. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function taskkillArguments(pid: number): string[] {
  return ["/PID", String(pid), "/T", "/F"];
}

function runTaskkill(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const taskkill = spawn("taskkill", taskkillArguments(pid), { stdio: "ignore", windowsHide: true });
    taskkill.once("error", () => resolve());
    taskkill.once("exit", () => resolve());
  });
}
