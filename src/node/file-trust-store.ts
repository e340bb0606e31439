import { open, readFile, rename, rm, stat } from "node:fs/promises";
import type { TrustStore, TrustValue } from "../client/trust/trust-store.ts";
import { UsageError } from "../errors.ts";
import { isObject } from "../lib/json.ts";

const lockMs = 5_000;
/** A lock that is older was left by a process that died. */
const staleMs = 10_000;
const pauseMs = 20;

/**
 * Keeps what the host has agreed to in one JSON file that a person can read, for this user only.
 *
 * Several processes may share it. A file that is there but can't be understood is an error, never an
 * empty store.
 */
export class FileTrust implements TrustStore {
  readonly #path: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async get(key: string): Promise<unknown> {
    await this.#last;
    const values = await this.#read();
    return values.get(key);
  }

  set(key: string, value: TrustValue): Promise<void> {
    const turn = this.#last.then(() => this.#locked(() => this.#write(key, value)));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #read(): Promise<Map<string, unknown>> {
    let text: string;
    try {
      text = await readFile(this.#path, "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return new Map();
      throw error;
    }
    return new Map(Object.entries(parse(text, this.#path)));
  }

  /** Whole or not at all, whenever the process ends. */
  async #write(key: string, value: TrustValue): Promise<void> {
    const values = await this.#read();
    values.set(key, value);
    const draft = `${this.#path}.${crypto.randomUUID()}.tmp`;
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(Object.fromEntries(values), null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.#path);
  }

  async #locked<T>(run: () => Promise<T>): Promise<T> {
    const lock = `${this.#path}.lock`;
    await this.#acquire(lock);
    try {
      return await run();
    } finally {
      await rm(lock, { force: true });
    }
  }

  async #acquire(lock: string): Promise<void> {
    for (const until = Date.now() + lockMs; ; ) {
      try {
        await (await open(lock, "wx", 0o600)).close();
        return;
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error;
      }
      if (await isStale(lock)) await rm(lock, { force: true });
      else if (Date.now() > until)
        throw new UsageError(`${this.#path} is locked by another process; if it is gone, remove ${lock}.`);
      else await new Promise((resolve) => setTimeout(resolve, pauseMs * (1 + Math.random())));
    }
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > staleMs;
  } catch {
    return false;
  }
}

function parse(text: string, path: string): { readonly [key: string]: unknown } {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${path} is no JSON, so what was agreed to is unknown; mend it or move it away.`, {
      cause,
    });
  }
  if (isObject(values)) return values;
  throw new UsageError(`${path} must hold an object; mend it or move it away.`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
