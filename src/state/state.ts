import { UsageError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { LogLevel } from "../protocol/model/logging.ts";
import type { TaskStore } from "./task-store.ts";

/**
 * Data that outlives one request, so that another request, or another node, can go on with it.
 *
 * Every method is atomic. A write that was acknowledged is seen by every later read, on any node. Everything expires,
 * by the clock of the store where it has one. Keys and ids are any text up to 1 KiB, values and events any text up to
 * 4 MiB; lone surrogates may not survive. `allspeak/testing/state` proves a backend.
 */
export interface State {
  /** True if other processes share it, so that they can go on with what this one began. */
  readonly isShared: boolean;
  /** Characters of tasks that callers may have nodes store within an hour, where they share it. Default 4,294,967,296. */
  readonly maxTaskChars?: number | undefined;
  readonly sessions: SessionStore;
  readonly events: EventStore;
  readonly values: ValueStore;
  readonly counters: CounterStore;
  readonly tasks: TaskStore;
  /** The failures that acknowledged writes survive, by the settings of the store. Connects if it must. */
  durability(): MaybePromise<Durability>;
  /** Closes what this state opened; a client that was handed in stays open. Safe to call twice. */
  close(): MaybePromise<void>;
}

const stores = ["sessions", "events", "values", "counters", "tasks"] as const;

/** Throws UsageError for a value that can't be a state. */
export function assertState(state: State): void {
  const missing = stores.filter((name) => !state[name]).join(", ");
  if (missing) throw new UsageError(`The state has no ${missing}; use memoryState(), redis() or the like.`);
}

/** The failure that acknowledged writes survive; each level includes those before it. */
export type DurabilityLevel = "none" | "node-crash" | "store-crash" | "power-loss" | "machine-loss";

export interface Durability {
  readonly level: DurabilityLevel;
  /** The settings that make it weaker than was asked for, each with what to do. */
  readonly warnings: readonly string[];
}

export interface StoredSession {
  readonly id: string;
  /** The principal that opened it; no other may use it. */
  readonly owner: string;
  readonly revision: string;
  readonly client: ClientDeclaration;
  readonly ready: boolean;
  readonly logLevel: LogLevel | undefined;
  /** The lists whose changes are sent to it. */
  readonly lists: readonly string[];
  readonly subscriptions: readonly string[];
  /** The offset in the events of the server up to which its standalone stream was read. */
  readonly read: string;
}

export interface VersionedSession {
  readonly session: StoredSession;
  /** Differs after every change. */
  readonly version: string;
}

export interface SessionStore {
  /** Stores a new session and returns its version; undefined when there is one with this id. */
  create(session: StoredSession, ttlMs: number): MaybePromise<string | undefined>;
  /**
   * Finds a session and lets it live for `ttlMs` from now, in one round trip. Changes no version.
   *
   * Rejects with `StoredFormatError` for one that can't be read.
   */
  touch(id: string, ttlMs: number): MaybePromise<VersionedSession | undefined>;
  /** Replaces a session if its version is still this one; returns the new version, or undefined. */
  replace(session: StoredSession, version: string, ttlMs: number): MaybePromise<string | undefined>;
  /** Removes a session; returns whether it was there. */
  remove(id: string): MaybePromise<boolean>;
}

export interface StoredEvent {
  /** The place of the event in its stream: 1 to 64 characters of `A-Z a-z 0-9 _ .`, with no other meaning. */
  readonly offset: string;
  readonly text: string;
}

/** The offset before the first event of every stream. */
export const streamStart = "0";

/**
 * Append-only streams. Their order is the truth; `watch` is only a hint.
 *
 * No offset comes twice, also not in a stream that was removed or has expired and has begun again.
 */
export interface EventStore {
  /**
   * Appends texts in this order, all or none, with nothing between them; returns the offset of the last.
   *
   * The stream expires `ttlMs` after its last append. The oldest events may be dropped to stay within limits,
   * never the newest.
   */
  append(stream: string, texts: readonly string[], ttlMs: number): MaybePromise<string>;
  /**
   * The events after an offset, oldest first, at most `limit`; those that were dropped are missing.
   *
   * Undefined when the stream has never got to that offset, or is gone: a reader then begins at `streamStart`, which
   * is the beginning of every stream, also of one without events.
   */
  after(stream: string, offset: string, limit?: number): MaybePromise<readonly StoredEvent[] | undefined>;
  /**
   * True if the stream still has the event at this offset: if so, none after it was dropped. `streamStart` stands for
   * no event, and is always there.
   */
  holds(stream: string, offset: string): MaybePromise<boolean>;
  /** The offset of the last event; `streamStart` when there was none. */
  last(stream: string): MaybePromise<string>;
  remove(stream: string): MaybePromise<void>;
  /**
   * Calls the listener when events may have been appended, by any node. Hints get lost: a reader must also look now and then.
   *
   * Returns the function that stops it.
   */
  watch(stream: string, listener: () => void): () => void;
}

/** Small values that expire: spent nonces, nodes that are alive, sealed state that is too large to send to the client. */
export interface ValueStore {
  /**
   * Stores a value unless there is one under this key; returns whether it did. Of several at once, one succeeds.
   *
   * The `holder` is the caller for whom it is stored, where there is one; a store with little room refuses the
   * largest holder first. A store that nodes share may ignore it: they count together what each caller stores.
   */
  add(key: string, value: string, ttlMs: number, holder?: string): MaybePromise<boolean>;
  put(key: string, value: string, ttlMs: number, holder?: string): MaybePromise<void>;
  get(key: string): MaybePromise<string | undefined>;
  /** Removes a value; returns whether it was there. Of several at once, one succeeds. */
  remove(key: string): MaybePromise<boolean>;
}

export interface CounterValue {
  readonly count: number;
  /** The time until the counter begins again at 0. */
  readonly resetsInMs: number;
}

/** Counters that begin again after a time. */
export interface CounterStore {
  /** Counts; a counter begins at 0, and again `windowMs` after its first count. */
  count(key: string, by: number, windowMs: number): MaybePromise<CounterValue>;
}
