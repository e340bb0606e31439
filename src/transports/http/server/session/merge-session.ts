import type { StoredSession } from "../../../../state/state.ts";

/** A session as this node has it and another has stored it, both of which come from `base`: the changes of both hold. */
export function mergeSession(base: StoredSession, mine: StoredSession, theirs: StoredSession): StoredSession {
  const added = without(mine.subscriptions, base.subscriptions);
  const ended = without(base.subscriptions, mine.subscriptions);
  return {
    ...theirs,
    ready: mine.ready || theirs.ready,
    logLevel: mine.logLevel === base.logLevel ? theirs.logLevel : mine.logLevel,
    read: mine.read === base.read ? theirs.read : mine.read,
    subscriptions: [...new Set([...without(theirs.subscriptions, ended), ...added])],
  };
}

function without(uris: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Set(others);
  return uris.filter((uri) => !left.has(uri));
}
