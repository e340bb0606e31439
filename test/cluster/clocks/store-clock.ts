import type { State } from "allspeak/http";

type Values = State["values"];

/** Values that expire by the clock of their store, which is none of the nodes'. */
export function createValues(now: () => number): Values {
  const kept = new Map<string, { readonly value: string; readonly endsAt: number }>();
  const get = (key: string) => {
    const found = kept.get(key);
    return found !== undefined && found.endsAt > now() ? found.value : undefined;
  };
  const put = (key: string, value: string, ttlMs: number) =>
    void kept.set(key, { value, endsAt: now() + ttlMs });
  return {
    get,
    put,
    add: (key, value, ttlMs) => {
      if (get(key) !== undefined) return false;
      put(key, value, ttlMs);
      return true;
    },
    remove: (key) => get(key) !== undefined && kept.delete(key),
  };
}
