/**
 * Where credentials are kept: registrations, tokens, and which belong to which server.
 *
 * Values are text that must not be readable by others.
 */
export interface CredentialStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Does work while nobody else who shares the store does work under the same name.
   *
   * Where several processes share it, this is what keeps them from using one refresh token
   * twice, and from opening two windows. Rejects when `signal` aborts before the work began.
   */
  exclusive<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Keeps credentials as long as the process lives. */
export function memoryCredentialStore(): CredentialStore {
  const values = new Map<string, string>();
  const queues = new Map<string, Promise<unknown>>();
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => {
      values.set(key, value);
    },
    delete: async (key) => {
      values.delete(key);
    },
    async exclusive(name, work, signal) {
      const before = queues.get(name) ?? Promise.resolve();
      const mine = before.then(() => {
        signal?.throwIfAborted();
        return work();
      });
      const settled = mine.catch(() => {});
      queues.set(name, settled);
      try {
        return await mine;
      } finally {
        if (queues.get(name) === settled) queues.delete(name);
      }
    },
  };
}
