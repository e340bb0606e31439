import { createHash, randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { sleep } from "./async/sleep.ts";
import { startBackgroundTimer } from "./async/timers.ts";
import { hasErrorCode } from "./errno.ts";

/*
 * The lock is a folder with one entry, a folder that is named for its holder:
 *
 *   trust.json.lock/<pid>-<machine>-<random>/
 *
 * Taking it: the two folders are made aside and renamed to their place in one step, which fails while there is an
 * entry. So the lock is never there without the name of its holder.
 *
 * Taking it over: the entry is renamed to `<holder>.gone` and then removed. The name of the holder is part of both
 * paths, so of several processes that find the same dead holder none can remove the lock of the next one. A process
 * that is killed half-way leaves an entry that every other may remove, and no lock is taken while it is there.
 *
 * Fencing: a holder that was stopped, and wakes up after its lock was taken over, must not write. It writes to a
 * draft within its own entry and renames that to its target. Without the entry there is no draft, and the rename
 * fails, whatever the holder believes. No check comes before it that could be out of date.
 */

export interface FileLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** The time between two signs of life of a holder. Default 2,000. */
  readonly beatMs?: number;
  /** The silence after which a holder is taken for dead. Default 15,000. */
  readonly staleMs?: number;
}

/** Changes to the files that the lock protects. Rejects with `FileLockLostError` once the lock was taken over. */
export interface FileLockHold {
  /** Replaces a file, whole or not at all, readable by this user only. */
  replace(path: string, content: string | Uint8Array): Promise<void>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
}

/** The holder gave no sign of life for too long, and another took the lock: nothing was written. */
export class FileLockLostError extends Error {
  override readonly name = "FileLockLostError";

  constructor(lock: string, options?: ErrorOptions) {
    super(`${lock} was taken over by another process, since this one gave no sign of life.`, options);
  }
}

/**
 * Does work while no other process does work under the same lock.
 *
 * A holder that was killed is replaced at once, one that stopped after `staleMs`.
 */
export async function withFileLock<T>(
  lock: string,
  work: (hold: FileLockHold) => Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  const holder = `${process.pid}-${machine}-${randomUUID()}`;
  await acquire(lock, holder, options);
  const entry = join(lock, holder);
  const beat = startBackgroundTimer(() => void touch(entry), options.beatMs ?? 2_000);
  try {
    return await work(createHold(lock, entry));
  } finally {
    clearInterval(beat);
    await rm(entry, { recursive: true, force: true });
    await removeIfEmpty(lock);
  }
}

/** The PID namespace of this machine: a PID has a meaning within one namespace only. */
const machine: string = createHash("sha256")
  .update(`${hostname()} ${readPidNamespace()}`)
  .digest("hex")
  .slice(0, 12);

function readPidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux.
    return "";
  }
}

function createHold(lock: string, entry: string): FileLockHold {
  let drafts = 0;
  const orLost = async (step: Promise<void>): Promise<void> => {
    try {
      await step;
    } catch (cause) {
      if (hasErrorCode(cause, "ENOENT") && !(await exists(entry)))
        throw new FileLockLostError(lock, { cause });
      throw cause;
    }
  };
  return {
    replace: (path, content) => {
      const draft = join(entry, `draft-${drafts++}`);
      return orLost(writeDurably(draft, content).then(() => rename(draft, path)));
    },
    remove: (path) =>
      // Moved into the entry, not unlinked: that fails, too, when the entry is gone.
      orLost(
        rename(path, join(entry, `removed-${drafts++}`)).catch(async (error: unknown) => {
          if (!hasErrorCode(error, "ENOENT") || !(await exists(entry))) throw error;
        }),
      ),
  };
}

async function acquire(lock: string, holder: string, options: FileLockOptions): Promise<void> {
  const { signal, staleMs = 15_000 } = options;
  const aside = `${lock}.${holder}`;
  const silence = new Silence(staleMs);
  await mkdir(aside, { mode: 0o700 });
  try {
    await mkdir(join(aside, holder), { mode: 0o700 });
    for (let waitMs = 4; !(await moveTo(aside, lock)); ) {
      signal?.throwIfAborted();
      if (await clear(lock, silence)) continue;
      await sleep(waitMs * (0.5 + Math.random()), signal);
      waitMs = Math.min(waitMs * 1.2, 75);
    }
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
}

/** Returns whether the folder took its place, which it does not while another is there that is not empty. */
async function moveTo(aside: string, lock: string): Promise<boolean> {
  try {
    await rename(aside, lock);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR")) return false;
    // The codes of Windows for a folder that is in the way, even an empty one.
    if (process.platform === "win32" && hasErrorCode(error, "EPERM", "EACCES", "EBUSY")) return false;
    throw error;
  }
}

/** Removes what is in the way and held by nobody; returns whether it is worth trying again at once. */
async function clear(lock: string, silence: Silence): Promise<boolean> {
  let entries: string[];
  try {
    entries = await readdir(lock);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return true;
    // A file, as earlier versions used it.
    if (hasErrorCode(error, "ENOTDIR")) return clearFile(lock, silence);
    throw error;
  }
  for (const entry of entries) {
    if (entry.endsWith(".gone")) await discard(join(lock, entry));
    else if (isDead(entry) || silence.hasLasted(entry, await touchedAt(join(lock, entry)))) {
      await takeOver(lock, entry);
    } else return false;
  }
  await removeIfEmpty(lock);
  return true;
}

async function takeOver(lock: string, entry: string): Promise<void> {
  const gone = join(lock, `${entry}.gone`);
  try {
    await rename(join(lock, entry), gone);
  } catch (error) {
    // Released, or taken over by another.
    if (hasErrorCode(error, "ENOENT")) return;
    throw error;
  }
  await discard(gone);
  await removeLeftovers(lock);
}

/** Retries, since a holder that wakes up may put a draft into its entry while that is removed. */
async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 });
}

async function clearFile(lock: string, silence: Silence): Promise<boolean> {
  if (!silence.hasLasted("", await touchedAt(lock))) return false;
  // Fails when a folder has taken its place, and so never removes a lock of today.
  await rm(lock, { force: true }).catch(() => {});
  return true;
}

/** Removes the folders of those who were killed before they had the lock. */
async function removeLeftovers(lock: string): Promise<void> {
  const prefix = `${basename(lock)}.`;
  for (const name of await readdir(dirname(lock))) {
    if (name.startsWith(prefix) && isDead(name.slice(prefix.length)))
      await discard(join(dirname(lock), name));
  }
}

/** Notices that an entry is no longer touched. Clocks of different machines are not compared. */
class Silence {
  readonly #staleMs: number;
  #last = "";
  #lookedAt = 0;
  #ms = 0;

  constructor(staleMs: number) {
    this.#staleMs = staleMs;
  }

  hasLasted(entry: string, touchedAt: number | undefined): boolean {
    const now = performance.now();
    const last = `${entry} ${touchedAt}`;
    // Time in which this process did not look counts little: it was stopped, and the holder perhaps with it.
    this.#ms = last === this.#last ? this.#ms + Math.min(now - this.#lookedAt, this.#staleMs / 3) : 0;
    this.#last = last;
    this.#lookedAt = now;
    return this.#ms >= this.#staleMs;
  }
}

/** True if the process that an entry is named for has ended. A PID that was given to another process looks alive, but is silent. */
function isDead(entry: string): boolean {
  const [pid = "", where] = entry.split("-");
  if (where !== machine || !/^\d+$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return hasErrorCode(error, "ESRCH");
  }
}

/** Writes a new file for this user only; settles when it is on the disk. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => {});
}

async function touchedAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

async function exists(path: string): Promise<boolean> {
  return (await touchedAt(path)) !== undefined;
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}
