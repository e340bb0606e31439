import type { Servable } from "./contract/service.ts";
import { FetchReply } from "./transports/http/server/fetch/fetch-reply.ts";
import { FetchRequest } from "./transports/http/server/fetch/fetch-request.ts";
import { HttpEndpoint } from "./transports/http/server/http-endpoint.ts";
import type { HttpOptions } from "./transports/http/server/http-options.ts";

export type { AuditEntry, AuditSink } from "./guard/audit-entry.ts";
export type { LimitOptions } from "./guard/call-limits.ts";
export type { TrustProxy } from "./guard/client-address.ts";
export type { Allowance, LimitRule } from "./guard/limit-rule.ts";
export { memoryState } from "./state/memory/memory-state.ts";
export type {
  CounterStore,
  CounterValue,
  EventStore,
  MaybePromise,
  SessionStore,
  State,
  StoredEvent,
  StoredSession,
  ValueStore,
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
export type { HttpRequest } from "./transports/http/server/http-interface.ts";
export type { HttpOptions, SessionOptions } from "./transports/http/server/http-options.ts";

/** A handler of the web platform, for workers, Deno, Bun and any router that speaks `Request` and `Response`. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Takes no more requests, lets those under way finish, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

/** Serves a server value wherever there is `fetch`. */
export function createFetchHandler(server: Servable, options: HttpOptions = {}): FetchHandler {
  const core = new HttpEndpoint(server["~service"](), options);
  const handle = async (request: Request): Promise<Response> => {
    const reply = new FetchReply(request.signal, core.stallMs);
    void core.handle(new FetchRequest(request), reply);
    return reply.response;
  };
  return Object.assign(handle, { close: (drainMs?: number) => core.close(drainMs) });
}
