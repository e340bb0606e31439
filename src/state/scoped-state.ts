import { StoredFormatError } from "../errors.ts";
import { andThen } from "../lib/async/maybe-promise.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import { scopeTasks } from "./scoped-tasks.ts";
import type {
  CounterStore,
  EventStore,
  SessionStore,
  State,
  StoredEvent,
  StoredSession,
  ValueStore,
  VersionedSession,
} from "./state.ts";
import type { StoredTask } from "./task-store.ts";

/** The first character of every stored text: the version of what follows. An empty text has none, and takes no room. */
const formatVersion = "1";

const known = new WeakMap<State, Map<string, State>>();

/**
 * The part of a state that belongs to the server of this name: two servers in one store never meet each other's data.
 *
 * Gives the same object for the same state and name.
 */
export function scopeState(state: State, name: string): State {
  return toScope(state, toPrefix(name));
}

/** The part of a state that belongs to the server which stored a task: its owner begins with the name of that server. */
export function scopeOfTask(state: State, { owner }: StoredTask): State {
  return toScope(state, owner.slice(0, owner.indexOf("/") + 1));
}

function toScope(state: State, prefix: string): State {
  const byPrefix = known.get(state) ?? new Map<string, State>();
  known.set(state, byPrefix);
  const scoped = byPrefix.get(prefix) ?? createScope(state, prefix);
  byPrefix.set(prefix, scoped);
  return scoped;
}

/** The name, without the character that ends it. */
function toPrefix(name: string): string {
  return `${name.replace(/[%/]/g, encodeURIComponent)}/`;
}

function createScope(state: State, prefix: string): State {
  const counters = scopeCounters(state.counters, prefix);
  const values = scopeValues(state.values, prefix);
  const tasks = scopeTasks(state.tasks, prefix);
  const { isShared, maxTaskChars } = state;
  const kept = isShared ? limitOnDemand({ values, tasks }, counters, maxTaskChars) : { values, tasks };
  return {
    isShared,
    sessions: scopeSessions(state.sessions, prefix),
    events: scopeEvents(state.events, prefix),
    values: kept.values,
    counters,
    tasks: kept.tasks,
    durability: () => state.durability(),
    close: () => state.close(),
  };
}

/** Limits what callers have stores keep that nodes share. The limits are loaded with the first use. */
function limitOnDemand(
  stores: Pick<State, "values" | "tasks">,
  counters: CounterStore,
  maxTaskChars: number | undefined,
): Pick<State, "values" | "tasks"> {
  const { values, tasks } = stores;
  const limits = new OnDemand(async () => {
    const { limitStores } = await import("./shares/limit-stores.ts");
    return limitStores(stores, counters, maxTaskChars);
  });
  return {
    values: {
      ...values,
      add: (...given) => limits.use((limited) => limited.values.add(...given)),
      put: (...given) => limits.use((limited) => limited.values.put(...given)),
    },
    tasks: {
      ...tasks,
      create: (...given) => limits.use((limited) => limited.tasks.create(...given)),
      get: (...given) => limits.use((limited) => limited.tasks.get(...given)),
      claim: (...given) => limits.use((limited) => limited.tasks.claim(...given)),
      answer: (...given) => limits.use((limited) => limited.tasks.answer(...given)),
      save: (...given) => limits.use((limited) => limited.tasks.save(...given)),
    },
  };
}

function scopeSessions(sessions: SessionStore, prefix: string): SessionStore {
  const toStored = (session: StoredSession) => ({ ...session, id: prefix + session.id });
  const fromStored = (found: VersionedSession | undefined) =>
    found && { ...found, session: { ...found.session, id: found.session.id.slice(prefix.length) } };
  return {
    create: (session, ttlMs) => sessions.create(toStored(session), ttlMs),
    touch: (id, ttlMs) => andThen(sessions.touch(prefix + id, ttlMs), fromStored),
    replace: (session, version, ttlMs) => sessions.replace(toStored(session), version, ttlMs),
    remove: (id) => sessions.remove(prefix + id),
  };
}

function scopeEvents(events: EventStore, prefix: string): EventStore {
  const fromStored = (found: readonly StoredEvent[] | undefined) =>
    found?.map(({ offset, text }) =>
      hasKnownFormat(text) ? { offset, text: text.slice(1) } : unreadableEvent(offset, text),
    );
  return {
    append: (stream, texts, ttlMs) => events.append(prefix + stream, texts.map(encodeText), ttlMs),
    after: (stream, offset, limit) => andThen(events.after(prefix + stream, offset, limit), fromStored),
    holds: (stream, offset) => events.holds(prefix + stream, offset),
    last: (stream) => events.last(prefix + stream),
    remove: (stream) => events.remove(prefix + stream),
    watch: (stream, listener) => events.watch(prefix + stream, listener),
  };
}

function scopeValues(values: ValueStore, prefix: string): ValueStore {
  const fromStored = (found: string | undefined) => (found === undefined ? undefined : decodeText(found));
  return {
    add: (key, value, ttlMs, holder) => values.add(prefix + key, encodeText(value), ttlMs, holder),
    put: (key, value, ttlMs, holder) => values.put(prefix + key, encodeText(value), ttlMs, holder),
    get: (key) => andThen(values.get(prefix + key), fromStored),
    remove: (key) => values.remove(prefix + key),
  };
}

function scopeCounters(counters: CounterStore, prefix: string): CounterStore {
  return { count: (key, by, windowMs) => counters.count(prefix + key, by, windowMs) };
}

function encodeText(text: string): string {
  return text === "" ? "" : formatVersion + text;
}

/** An event that keeps its place. Its text throws, so that only a reader that needs it fails. */
function unreadableEvent(offset: string, stored: string): StoredEvent {
  return {
    offset,
    get text() {
      return decodeText(stored);
    },
  };
}

function hasKnownFormat(stored: string): boolean {
  return stored === "" || stored.startsWith(formatVersion);
}

function decodeText(stored: string): string {
  if (hasKnownFormat(stored)) return stored.slice(1);
  throw new StoredFormatError(
    `The store holds data in the format "${stored.slice(0, 1)}", which this version of allspeak does not know; update this node, or give it a store of its own.`,
  );
}
