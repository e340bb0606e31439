import type { ClientIdentity } from "../protocol/model/identity.ts";
import type { LogLevel } from "../protocol/model/logging.ts";
import type { Soon } from "./soon.ts";
import type { TaskStore } from "./tasks.ts";

export type { Soon } from "./soon.ts";

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
  readonly client: ClientIdentity;
  readonly ready: boolean;
  readonly logLevel: LogLevel | undefined;
  /** The lists of whose changes it hears. */
  readonly lists: readonly string[];
  readonly subscriptions: readonly string[];
}

export interface SessionStore {
  put(session: StoredSession): Soon<void>;
  find(id: string): Soon<StoredSession | undefined>;
  remove(id: string): Soon<void>;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly text: string;
}

/** Events of streams, in order, for those who come back after their connection broke. */
export interface EventStore {
  /** Adds an event; its number is one more than the last one's. Old events may be dropped to keep within bounds. */
  append(stream: string, text: string): Soon<number>;
  /**
   * Events after a number that are still kept, oldest first; those of the beginning may be gone.
   *
   * Undefined when the stream has never got that far. A stream without events is at 0.
   */
  after(stream: string, sequence: number): Soon<readonly StoredEvent[] | undefined>;
  remove(stream: string): Soon<void>;
}

/** Small values that are forgotten after a time: nonces that were spent, what is too large to carry along. */
export interface ValueStore {
  /** Keeps a value unless there is one under this key; whether it did. Of several at once, one succeeds. */
  add(key: string, value: string, ttlMs: number): Soon<boolean>;
  put(key: string, value: string, ttlMs: number): Soon<void>;
  get(key: string): Soon<string | undefined>;
  /** Removes a value; whether it was there. Of several at once, one succeeds. */
  remove(key: string): Soon<boolean>;
}

export interface Counted {
  readonly count: number;
  /** When the counter begins again at nothing. */
  readonly resetsInMs: number;
}

/** How often something happened within a stretch of time. */
export interface CounterStore {
  /** Counts; a counter begins at nothing, and again `windowMs` after its first count. */
  count(key: string, by: number, windowMs: number): Soon<Counted>;
}
