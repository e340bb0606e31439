import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ended, and waiting for its parent to read its exit code. */
  readonly isZombie: boolean;
}

/** The visible processes of this machine. Not for Windows. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  return process.platform === "linux" ? readProc() : readPs();
}

/** The processes of a group, and all descendants of them and of the group's leader. */
export function membersAndDescendants(leader: number, entries: readonly ProcessEntry[]): Set<number> {
  const found = new Set(
    entries.filter(({ pid, group }) => pid === leader || group === leader).map(({ pid }) => pid),
  );
  let size: number;
  do {
    size = found.size;
    for (const { pid, parent } of entries) if (found.has(parent)) found.add(pid);
  } while (found.size > size);
  return found;
}

/** Returns whether a group may have running members; Linux only. */
export function hasRunningMember(group: number): boolean {
  try {
    return readProc().some((entry) => entry.group === group && !entry.isZombie);
  } catch {
    // Where /proc can't be read, it is unknown.
    return true;
  }
}

function readProc(): ProcessEntry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
}

function readStat(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name comes first and may hold any character, brackets included.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(parent), group: Number(group), isZombie: state === "Z" || state === "X" };
  } catch {
    // It has ended since the folder was read.
    return undefined;
  }
}

async function readPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,pgid=,state="]);
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (state === undefined) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      isZombie: state.startsWith("Z"),
    };
  });
}
