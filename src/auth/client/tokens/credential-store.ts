import { KeyedMutex } from "../../../lib/async/mutex.ts";
/**
 * A store of credentials: registrations, tokens, and which belong to which server.
 *
 * Values are secret: no other user or program may be able to read them.
 */
export interface CredentialStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Runs `work` under a lock: no other user of the store runs work of the same name meanwhile.
   *
   * Keeps processes that share the store from using one refresh token twice, and from opening two
   * login windows. Rejects when `signal` aborts before the work has begun.
   */
  exclusive<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A credential store in memory, which ends with the process. */
export function memoryCredentialStore(): CredentialStore {
  const values = new Map<string, string>();
  const turns = new KeyedMutex();
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => {
      values.set(key, value);
    },
    delete: async (key) => {
      values.delete(key);
    },
    exclusive: (name, work, signal) =>
      turns.run(name, async () => {
        signal?.throwIfAborted();
        return work();
      }),
  };
}
