import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { settlesWithin } from "../../lib/wait-at-most.ts";
import { type TrackedChild, trackChild, untrackChild } from "./child-registry.ts";
import { hasRunningMember, listProcesses, membersAndDescendants } from "./process-list.ts";

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long each step towards the end of a process may take before the next, harsher one. */
export interface ShutdownDelays {
  /** For the process to leave by itself, its input being closed. */
  readonly closeMs: number;
  /** For the whole group after SIGTERM. */
  readonly termMs: number;
}

const isWindows = process.platform === "win32";
const pollMs = 25;
const killedMs = 1_000;

/** A child process and all it started. On POSIX it must lead a process group of its own. */
export class ProcessTree implements TrackedChild {
  readonly exit: Promise<ProcessExit>;
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
    trackChild(this);
  }

  /** Resolves when nothing of the tree is left. Only the first call sets the pace. */
  end(steps: ShutdownDelays = { closeMs: 0, termMs: 1_000 }): Promise<void> {
    this.#ending ??= this.#end(steps);
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
    untrackChild(this);
  }

  async #kill(): Promise<void> {
    if (isWindows) return runTaskkill(this.#pid);
    // Those that left the group are found by their parents, as long as these live.
    const members = membersAndDescendants(this.#pid, await listProcesses().catch(() => []));
    signalProcess(-this.#pid, "SIGKILL");
    for (const pid of members) signalProcess(pid, "SIGKILL");
  }

  #isAlive(): boolean {
    if (!this.#hasExited) return true;
    if (isWindows || !signalProcess(-this.#pid, 0)) return false;
    // An orphan that nobody reaps keeps its group in existence for ever.
    return process.platform !== "linux" || hasRunningMember(this.#pid);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    for (const deadline = Date.now() + ms; Date.now() < deadline; await setTimeout(pollMs)) {
      if (!this.#isAlive()) return true;
    }
    return false;
  }
}

/** Whether there was somebody to signal whom we may. A negative number is a group. */
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
