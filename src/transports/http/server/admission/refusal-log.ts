import { Throttle } from "../../../../lib/async/throttle.ts";
import type { HttpRequest } from "../http-interface.ts";
import type { HttpSettings } from "../http-options.ts";

/** The reasons for which requests are refused before they become calls, and `proxy`, for those without limits. */
export type RefusalKind = "host" | "origin" | "credentials" | "path" | "proxy";

interface KindState {
  readonly throttle: Throttle;
  unlogged: number;
}

const everyMs = 10_000;
const maxLength = 100;

/** Logs refused requests: at most one of each kind in ten seconds, because anybody can send them. */
export class RefusalLog {
  readonly #report: (message: string) => void;
  readonly #kinds = new Map<RefusalKind, KindState>();

  constructor(report: (message: string) => void) {
    this.#report = report;
  }

  add(kind: RefusalKind, http: HttpRequest, outcome: string): void {
    const state = this.#kinds.get(kind) ?? { throttle: new Throttle(everyMs), unlogged: 0 };
    this.#kinds.set(kind, state);
    if (!state.throttle.isDue()) return void state.unlogged++;
    const { method, prefix, path, address = "an unknown address" } = http;
    const others = state.unlogged > 0 ? ` ${state.unlogged} more of this kind were not logged.` : "";
    state.unlogged = 0;
    this.#report(`${method} ${quotePath(prefix + path)} from ${address} ${outcome}${others}`);
  }
}

/** Quotes and cuts a path, without what a terminal would obey. */
export function quotePath(path: string): string {
  return JSON.stringify(path.slice(0, maxLength).replace(/[^\x20-\x7e]/g, "?"));
}

/** The way to the endpoint, in words, for a request that missed it. */
export function describeEndpoint({ mountPath }: HttpRequest, { path }: Pick<HttpSettings, "path">): string {
  return `the MCP endpoint of this server is ${mountPath}${path}`;
}
