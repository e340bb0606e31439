import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { TrustChange, TrustStore } from "../../client/trust/trust-store.ts";
import { UsageError } from "../../errors.ts";
import { Mutex } from "../../lib/async/mutex.ts";
import { hasErrorCode } from "../../lib/errno.ts";
import { type FileLockHold, FileLockLostError, withFileLock } from "../../lib/file-lock.ts";
import { isObject } from "../../lib/json.ts";

interface WaitingUpdate {
  readonly key: string;
  readonly change: TrustChange;
  resolve(): void;
  reject(error: unknown): void;
}

interface ChangeFailure {
  readonly error: unknown;
}

/** Longer than it takes to replace a holder that was stopped. */
const lockMs = 30_000;

/**
 * The host's decisions in one JSON file that a person can read, for this user only.
 *
 * Several processes may share it. A file that is there but can't be understood is an error, never an
 * empty store.
 */
export class FileTrustStore implements TrustStore {
  readonly #path: string;
  readonly #updates = new Mutex();
  /** The updates that the next write brings together: they came while another write was under way. */
  #waiting: WaitingUpdate[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async get(key: string): Promise<unknown> {
    await this.#updates.idle();
    return (await this.#read()).get(key);
  }

  /** One write after the other within this process, so that only one of its writers waits for the lock. */
  update(key: string, change: TrustChange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, change, resolve, reject });
      if (this.#waiting.length === 1) void this.#updates.run(() => this.#updateAll());
    });
  }

  async #updateAll(): Promise<void> {
    const updates = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = await this.#write(updates);
      for (const [index, { resolve, reject }] of updates.entries()) {
        const problem = outcomes[index];
        if (problem === undefined) resolve();
        else reject(problem.error);
      }
    } catch (error) {
      for (const { reject } of updates) reject(error);
    }
  }

  /** Makes all changes with one write; returns the error of each change that threw. */
  async #write(updates: readonly WaitingUpdate[]): Promise<readonly (ChangeFailure | undefined)[]> {
    const signal = AbortSignal.timeout(lockMs);
    const lock = `${this.#path}.lock`;
    await this.#makeFolder();
    for (;;) {
      try {
        return await withFileLock(lock, (hold) => this.#replace(hold, updates), { signal });
      } catch (error) {
        if (signal.aborted && error === signal.reason) throw this.#locked(lock, error);
        // Nothing was written. What the file holds by now is read again.
        if (!(error instanceof FileLockLostError)) throw error;
      }
    }
  }

  async #replace(
    hold: FileLockHold,
    updates: readonly WaitingUpdate[],
  ): Promise<readonly (ChangeFailure | undefined)[]> {
    const values = await this.#read();
    let hasChanged = false;
    const outcomes = updates.map(({ key, change }) => {
      try {
        const value = change(values.get(key));
        if (value === undefined) return undefined;
        values.set(key, value);
        hasChanged = true;
        return undefined;
      } catch (error) {
        return { error };
      }
    });
    if (hasChanged)
      await hold.replace(this.#path, `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`);
    return outcomes;
  }

  async #makeFolder(): Promise<void> {
    try {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new UsageError(
        `The folder of ${this.#path} can't be made; correct the path or the permissions of the folders above it.`,
        { cause },
      );
    }
  }

  async #read(): Promise<Map<string, unknown>> {
    let text: string;
    try {
      text = await readFile(this.#path, "utf8");
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return new Map();
      throw new UsageError(
        `${this.#path} can't be read, so the decisions in it are unknown; correct the path or its permissions.`,
        { cause: error },
      );
    }
    return new Map(Object.entries(parse(text, this.#path)));
  }

  #locked(lock: string, cause: unknown): UsageError {
    return new UsageError(
      `${this.#path} has been locked by another process for ${lockMs / 1000} s; end that process, or remove ${lock} if it is gone.`,
      { cause },
    );
  }
}

function parse(text: string, path: string): { readonly [key: string]: unknown } {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(
      `${path} is not JSON, so the decisions in it are unknown; repair it or move it away.`,
      { cause },
    );
  }
  if (isObject(values)) return values;
  throw new UsageError(`${path} must hold an object; repair it or move it away.`);
}
