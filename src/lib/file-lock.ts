import { randomUUID } from "node:crypto";
import { open, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

const beatMs = 2_000;
// A holder that gave no sign of life for so long is gone, or as good as gone.
const staleMs = 15_000;
const lookAgainMs = 50;

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/** Does work while no other process does work under the same lock file. */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const token = randomUUID();
  const rest = new Rest();
  while (!(await create(path, token))) {
    if (await isAbandoned(path, rest)) await breakLock(path, rest);
    else await pause(lookAgainMs + Math.random() * lookAgainMs, undefined, { ...(signal && { signal }) });
    signal?.throwIfAborted();
  }
  const beat = setInterval(() => void touch(path), beatMs);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await readHolder(path))?.token === token) await rm(path, { force: true });
  }
}

async function create(path: string, token: string): Promise<boolean> {
  const holder: Holder = { pid: process.pid, host: hostname(), token };
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(holder));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Notices when a file is touched no more, whatever the clock says of whoever touched it last. */
class Rest {
  #touchedAt: number | undefined;
  #since = 0;

  hasLasted(touchedAt: number): boolean {
    const now = performance.now();
    if (touchedAt !== this.#touchedAt) this.#since = now;
    this.#touchedAt = touchedAt;
    return now - this.#since > staleMs;
  }
}

async function isAbandoned(path: string, rest: Rest): Promise<boolean> {
  const [holder, touchedAt] = await Promise.all([readHolder(path), touchOf(path)]);
  if (touchedAt === undefined) return false;
  if (holder?.host === hostname() && !isAlive(holder.pid)) return true;
  return rest.hasLasted(touchedAt) || Date.now() - touchedAt > staleMs;
}

/**
 * Removes a lock whose holder is gone.
 *
 * One at a time, and after another look: otherwise the second to come would remove the lock that
 * the first has just taken.
 */
async function breakLock(path: string, rest: Rest): Promise<void> {
  const breaker = `${path}.break`;
  if (!(await create(breaker, "breaker"))) {
    if (Math.abs(Date.now() - ((await touchOf(breaker)) ?? Date.now())) > staleMs)
      await rm(breaker, { force: true });
    else await pause(lookAgainMs);
    return;
  }
  try {
    if (await isAbandoned(path, rest)) await rm(path, { force: true });
  } finally {
    await rm(breaker, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

async function touchOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
