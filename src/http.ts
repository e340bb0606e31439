import type { Servable } from "./peer/service.ts";
import { FetchReply } from "./transports/http/fetch/fetch-reply.ts";
import { FetchRequest } from "./transports/http/fetch/fetch-request.ts";
import { HttpCore } from "./transports/http/http-core.ts";
import type { HttpOptions } from "./transports/http/http-options.ts";

export type { AuditEntry, AuditSink } from "./guard/audit-entry.ts";
export type { TrustProxy } from "./guard/client-address.ts";
export type { Allowance, LimitRule } from "./guard/limit-rule.ts";
export type { LimitOptions } from "./guard/limits.ts";
export { memoryState } from "./state/memory.ts";
export type {
  Counted,
  CounterStore,
  EventStore,
  SessionStore,
  Soon,
  State,
  StoredEvent,
  StoredSession,
  ValueStore,
} from "./state/state.ts";
export type {
  Claim,
  ClaimedTask,
  NewTask,
  StoredTask,
  TaskChange,
  TaskPage,
  TaskStore,
} from "./state/tasks.ts";
export type { HttpRequest } from "./transports/http/exchange.ts";
export type { HttpOptions, SessionOptions } from "./transports/http/http-options.ts";

/** A handler of the web platform, for workers, Deno, Bun and any router that speaks `Request` and `Response`. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Takes no more requests, lets those under way finish, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

/** Serves a server value wherever there is `fetch`. */
export function createFetchHandler(server: Servable, options: HttpOptions = {}): FetchHandler {
  const core = new HttpCore(server["~service"](), options);
  const handle = async (request: Request): Promise<Response> => {
    const reply = new FetchReply(request.signal, core.stallMs);
    void core.handle(new FetchRequest(request), reply);
    return reply.response;
  };
  return Object.assign(handle, { close: (drainMs?: number) => core.close(drainMs) });
}
