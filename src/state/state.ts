import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { LogLevel } from "../protocol/model/logging.ts";
import type { TaskStore } from "./task-store.ts";

/** What must outlive one request, so that another request, or another node, can go on with it. */
export interface State {
  /** Whether other processes use the same, so that they can go on with what this one began. */
  readonly isShared: boolean;
  readonly sessions: SessionStore;
  readonly events: EventStore;
  readonly values: ValueStore;
  readonly counters: CounterStore;
  readonly tasks: TaskStore;
}

export interface StoredSession {
  readonly id: string;
  /** Who opened it; nobody else may use it. */
  readonly owner: string;
  readonly revision: string;
  readonly client: ClientDeclaration;
  readonly ready: boolean;
  readonly logLevel: LogLevel | undefined;
  /** The lists of whose changes it hears. */
  readonly lists: readonly string[];
  readonly subscriptions: readonly string[];
}

export interface SessionStore {
  put(session: StoredSession): MaybePromise<void>;
  find(id: string): MaybePromise<StoredSession | undefined>;
  remove(id: string): MaybePromise<void>;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly text: string;
}

/** Events of streams, in order, for those who come back after their connection broke. */
export interface EventStore {
  /** Adds an event; its number is one more than the last one's. Old events may be dropped to keep within bounds. */
  append(stream: string, text: string): MaybePromise<number>;
  /**
   * Events after a number that are still kept, oldest first; those of the beginning may be gone.
   *
   * Undefined when the stream has never got that far. A stream without events is at 0.
   */
  after(stream: string, sequence: number): MaybePromise<readonly StoredEvent[] | undefined>;
  remove(stream: string): MaybePromise<void>;
}

/** Small values that are forgotten after a time: nonces that were spent, what is too large to carry along. */
export interface ValueStore {
  /** Keeps a value unless there is one under this key; whether it did. Of several at once, one succeeds. */
  add(key: string, value: string, ttlMs: number): MaybePromise<boolean>;
  put(key: string, value: string, ttlMs: number): MaybePromise<void>;
  get(key: string): MaybePromise<string | undefined>;
  /** Removes a value; whether it was there. Of several at once, one succeeds. */
  remove(key: string): MaybePromise<boolean>;
}

export interface CounterValue {
  readonly count: number;
  /** When the counter begins again at nothing. */
  readonly resetsInMs: number;
}

/** How often something happened within a stretch of time. */
export interface CounterStore {
  /** Counts; a counter begins at nothing, and again `windowMs` after its first count. */
  count(key: string, by: number, windowMs: number): MaybePromise<CounterValue>;
}
