import type { SessionStore } from "../state.ts";
import { UnreadableEntries } from "./unreadable-entries.ts";

/** The sessions of a store, where one that can't be read counts as gone: its client opens a new one. */
export function readableSessions(
  sessions: SessionStore,
  report: (message: string, cause: unknown) => void,
): SessionStore {
  const unreadable = new UnreadableEntries((cause) =>
    report("A stored session can't be read, and is taken for gone", cause),
  );
  return {
    create: (session, ttlMs) => sessions.create(session, ttlMs),
    touch: (id, ttlMs) => unreadable.skip(id, () => sessions.touch(id, ttlMs)),
    replace: (session, version, ttlMs) => sessions.replace(session, version, ttlMs),
    remove: (id) => sessions.remove(id),
  };
}
