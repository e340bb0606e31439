export {
  type ChangePublisher,
  type PublishChangesOptions,
  publishChanges,
} from "./cluster/publish-changes.ts";
export type { TrustProxy } from "./contract/caller/client-address.ts";
export type { AuditEntry, AuditSink } from "./guard/audit.ts";
export type { Allowance, LimitOptions, LimitRule } from "./guard/limit-options.ts";
export type { MaybePromise } from "./lib/async/maybe-promise.ts";
export { type MemoryLimits, memoryState } from "./state/memory/memory-state.ts";
export {
  type CounterStore,
  type CounterValue,
  type Durability,
  type DurabilityLevel,
  type EventStore,
  type SessionStore,
  type State,
  type StoredEvent,
  type StoredSession,
  streamStart,
  type ValueStore,
  type VersionedSession,
} from "./state/state.ts";
export type {
  ClaimedTask,
  NewTask,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskPage,
  TaskStore,
} from "./state/task-store.ts";
export { createFetchHandler, type FetchHandler } from "./transports/http/server/fetch/fetch-handler.ts";
export type { HttpRequest } from "./transports/http/server/http-interface.ts";
export type { HttpOptions, SessionOptions } from "./transports/http/server/http-options.ts";
