import type { RuntimeArguments } from "./fetch-runtime.ts";

/** The part of Hono's context that is used. */
export interface RouterContext {
  readonly req: { readonly raw: Request; readonly routePath: string };
  readonly env: unknown;
  /** Throws where the runtime has none. */
  readonly executionCtx: unknown;
}

interface RoutedRequest {
  readonly request: Request;
  /** The pattern of the route by which a router found us. */
  readonly pattern: string | undefined;
  readonly runtime: RuntimeArguments;
  /** Leaves the request to the next handler. */
  readonly next: (() => unknown) | undefined;
}

/** Reads the arguments of a handler, which come from a runtime or from a router. */
export function toFetchCall(given: Request | RouterContext, args: readonly unknown[]): RoutedRequest {
  if (!("req" in given)) return { request: given, pattern: undefined, runtime: args, next: undefined };
  const { raw, routePath } = given.req;
  const next = typeof args[0] === "function" ? (args[0] as () => unknown) : undefined;
  return { request: raw, pattern: routePath, runtime: [given.env, executionContextOf(given)], next };
}

function executionContextOf(context: RouterContext): unknown {
  try {
    return context.executionCtx;
  } catch {
    // Outside of workers there is none, and none is needed.
    return undefined;
  }
}
