import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { LogLevel } from "../protocol/model/logging.ts";
import type { TaskStore } from "./task-store.ts";

/** Data that outlives one request, so that another request, or another node, can go on with it. */
export interface State {
  /** Whether other processes share it, so that they can go on with what this one began. */
  readonly isShared: boolean;
  readonly sessions: SessionStore;
  readonly events: EventStore;
  readonly values: ValueStore;
  readonly counters: CounterStore;
  readonly tasks: TaskStore;
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

/** Events of streams, in order, for clients that come back after their connection broke. */
export interface EventStore {
  /** Adds an event; its number is one more than the last one's. Old events may be dropped to stay within limits. */
  append(stream: string, text: string): MaybePromise<number>;
  /**
   * The stored events after a number, oldest first; the oldest may be gone.
   *
   * Undefined when the stream has never got that far. A stream without events is at 0.
   */
  after(stream: string, sequence: number): MaybePromise<readonly StoredEvent[] | undefined>;
  remove(stream: string): MaybePromise<void>;
}

/** Small values that expire: spent nonces, and sealed state that is too large to send to the client. */
export interface ValueStore {
  /** Stores a value unless there is one under this key; returns whether it did. Of several at once, one succeeds. */
  add(key: string, value: string, ttlMs: number): MaybePromise<boolean>;
  put(key: string, value: string, ttlMs: number): MaybePromise<void>;
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
