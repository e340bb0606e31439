import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat, unlink, utimes } from "node:fs/promises";
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

/** The name of a holder, or of what was taken away from it. No other file beside the lock is ever removed. */
const holderName = /^\d+-[0-9a-f]{12}-[0-9a-f-]{36}(?:\.gone)?$/;
/** The age after which the folder of a waiting process of another machine is taken for a leftover. */
const leftoverMs = 3_600_000;

export interface FileLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** The time between two signs of life of a holder. Default 2,000. */
  readonly beatMs?: number;
  /** The silence after which a holder is taken for dead. Default 15,000. */
  readonly staleMs?: number;
}

/** Changes to the files that the lock protects. Rejects with `FileLockLostError` once the lock was taken over. */
export interface FileLockHold {
  /** True once the work has ended. Changes that were begun before are still made under the lock. */
  readonly isReleased: boolean;
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
  const hold = new Hold(lock, entry);
  try {
    await removeLeftovers(lock, entry);
    return await work(hold);
  } finally {
    await hold.settle();
    clearInterval(beat);
    await discard(entry);
    await removeIfEmpty(lock);
  }
}

/**
 * The PID namespace of this machine: a PID has a meaning within one namespace only.
 *
 * The first namespace has the same number on every machine, and machines may share a name. A boot's id is unique.
 */
const machine: string = createHash("sha256")
  .update(`${hostname()} ${readPidNamespace()} ${readBootId()}`)
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

function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Not Linux.
    return "";
  }
}

class Hold implements FileLockHold {
  readonly #lock: string;
  readonly #entry: string;
  readonly #changes = new Set<Promise<void>>();
  #drafts = 0;
  #isReleased = false;

  constructor(lock: string, entry: string) {
    this.#lock = lock;
    this.#entry = entry;
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  replace(path: string, content: string | Uint8Array): Promise<void> {
    const draft = this.#nextDraft();
    return this.#change(writeDurably(draft, content).then(() => rename(draft, path)));
  }

  remove(path: string): Promise<void> {
    // Moved into the entry, not unlinked: that fails, too, when the entry is gone.
    const removing = rename(path, this.#nextDraft()).catch(async (error: unknown) => {
      if (!hasErrorCode(error, "ENOENT") || !(await exists(this.#entry))) throw error;
    });
    return this.#change(removing);
  }

  /** Ends the hold; settles when the changes that were begun have settled. */
  async settle(): Promise<void> {
    this.#isReleased = true;
    await Promise.allSettled(this.#changes);
  }

  #nextDraft(): string {
    return join(this.#entry, `draft-${this.#drafts++}`);
  }

  #change(step: Promise<void>): Promise<void> {
    const change = this.#orLost(step).finally(() => this.#changes.delete(change));
    this.#changes.add(change);
    return change;
  }

  async #orLost(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (cause) {
      if (hasErrorCode(cause, "ENOENT") && !(await exists(this.#entry)))
        throw new FileLockLostError(this.#lock, { cause });
      throw cause;
    }
  }
}

async function acquire(lock: string, holder: string, options: FileLockOptions): Promise<void> {
  const { signal, staleMs = 15_000 } = options;
  const aside = `${lock}.${holder}`;
  const silence = new Silence(staleMs);
  const prepare = async () => {
    await mkdir(aside, { mode: 0o700 });
    await mkdir(join(aside, holder), { mode: 0o700 });
  };
  try {
    await prepare();
    for (let waitMs = 4; !(await moveTo(aside, lock)); ) {
      signal?.throwIfAborted();
      // After a long wait, another machine may have taken the folder for a leftover.
      if (!(await exists(aside))) await prepare();
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
    if (hasErrorCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT") || isInUse(error)) return false;
    throw error;
  }
}

/** True for the codes of Windows for a folder that is in the way, even an empty one, or that another process has open. */
function isInUse(error: unknown): boolean {
  return process.platform === "win32" && hasErrorCode(error, "EPERM", "EACCES", "EBUSY");
}

/** Removes what is in the way and held by nobody; returns whether it is worth trying again at once. */
async function clear(lock: string, silence: Silence): Promise<boolean> {
  try {
    return await clearEntries(lock, silence);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return true;
    // A file, as earlier versions used it.
    if (hasErrorCode(error, "ENOTDIR")) return clearFile(lock, silence);
    if (isInUse(error)) return false;
    throw error;
  }
}

async function clearEntries(lock: string, silence: Silence): Promise<boolean> {
  for (const entry of await readdir(lock)) {
    if (entry.endsWith(".gone")) await discard(join(lock, entry));
    else if (isDead(entry) || silence.hasLasted(entry, await touchedAt(join(lock, entry)))) {
      await takeAway(join(lock, entry));
    } else return false;
  }
  await removeIfEmpty(lock);
  return true;
}

/** Takes a folder away from its owner in one step, and then removes it. Another may have done so before. */
async function takeAway(folder: string): Promise<void> {
  const gone = `${folder}.gone`;
  try {
    await rename(folder, gone);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return;
    throw error;
  }
  await discard(gone);
}

/** Retries, since a holder that wakes up may put a draft into its entry while that is removed. */
async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 });
}

async function clearFile(lock: string, silence: Silence): Promise<boolean> {
  if (!silence.hasLasted("", await touchedAt(lock))) return false;
  // Fails when a folder has taken its place. `rm` looks first and may remove the folder, with its holder.
  await unlink(lock).catch(() => {});
  return true;
}

/**
 * Removes the folders of processes that were killed before they had the lock.
 *
 * A process of another machine may still wait. When its folder is taken away, it makes a new one. Ages are
 * compared with a folder that was just made in the same place, not with the clock of this machine.
 */
async function removeLeftovers(lock: string, entry: string): Promise<void> {
  const prefix = `${basename(lock)}.`;
  const now = (await touchedAt(entry)) ?? 0;
  const names = await readdir(dirname(lock)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix) || !holderName.test(name.slice(prefix.length))) continue;
    const path = join(dirname(lock), name);
    const isLeft = async () => now - ((await touchedAt(path)) ?? now) > leftoverMs;
    // A leftover that can't be removed is in nobody's way.
    if (name.endsWith(".gone")) await discard(path).catch(() => {});
    else if (isDead(name.slice(prefix.length)) || (await isLeft())) await takeAway(path).catch(() => {});
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
