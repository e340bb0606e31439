import { assertOptions } from "../../../../contract/options.ts";
import { type Servable, serviceOf } from "../../../../contract/service.ts";
import { isObject } from "../../../../lib/json.ts";
import { endsWorkWithRequest } from "../../../../lib/runtime.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { type HttpOptions, httpOptionKinds } from "../http-options.ts";
import { FetchReply } from "./fetch-reply.ts";
import { type FetchCall, FetchRequest, type RuntimeArguments, type WaitUntil } from "./fetch-request.ts";

/** The part of Hono's context that is used. */
export interface RouterContext {
  readonly req: { readonly raw: Request; readonly routePath: string; text(): Promise<string> };
  readonly env: unknown;
  /** Throws where the runtime has none. */
  readonly executionCtx: unknown;
}

/** A handler of the web platform, for workers, Deno, Bun and any router that speaks `Request` and `Response`. */
export interface FetchHandler {
  /** Pass on all arguments that the runtime gives: with them tasks go on in a worker, and callers are counted by address in Deno and Bun. */
  (request: Request, ...runtime: readonly unknown[]): Promise<Response>;
  /** A handler of Hono, for one path or for all below one: `app.use("/api/*", mcp)`. Calls `next` for paths that it does not serve. */
  (context: RouterContext, next: () => Promise<void>): Promise<Response | undefined>;
  /** Takes no more requests, lets running ones finish within `drainMs`, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

/** Serves a server value wherever there is `fetch`. */
export function createFetchHandler(server: Servable, options: HttpOptions = {}): FetchHandler {
  assertOptions("createFetchHandler", options, httpOptionKinds);
  const service = serviceOf("createFetchHandler", server);
  const endpoint = new HttpEndpoint(service, options);
  const reportOnce = toOnce((message: string) => service.report(message, undefined));
  const handle = async (given: Request | RouterContext, ...args: readonly unknown[]): Promise<Response> => {
    if (service.ready !== undefined) await service.ready;
    const { next, ...call } = toFetchCall(given, args);
    const { request, runtime } = call;
    const http = new FetchRequest({ ...call, waitUntil: findWaitUntil(runtime, reportOnce) }, endpoint);
    if (next && endpoint.passesOn(http)) return next() as Promise<Response>;
    const reply = new FetchReply(request.signal, endpoint.stallMs);
    endpoint.handle(http, reply);
    return reply.response;
  };
  return Object.assign(handle as FetchHandler, { close: (drainMs?: number) => endpoint.close(drainMs) });
}

function toOnce(report: (message: string) => void): (message: string) => void {
  let isDone = false;
  return (message) => {
    if (!isDone) report(message);
    isDone = true;
  };
}

interface RoutedRequest extends Omit<FetchCall, "waitUntil"> {
  /** Leaves the request to the next handler. */
  readonly next: (() => unknown) | undefined;
}

/** Reads the arguments of a handler, which come from a runtime or from a router. */
function toFetchCall(given: Request | RouterContext, args: readonly unknown[]): RoutedRequest {
  if (!("req" in given))
    return { request: given, pattern: undefined, runtime: args, keptBody: undefined, next: undefined };
  const { req, env } = given;
  const next = typeof args[0] === "function" ? (args[0] as () => unknown) : undefined;
  return {
    request: req.raw,
    pattern: req.routePath,
    runtime: [env, executionContextOf(given)],
    keptBody: () => req.text(),
    next,
  };
}

function executionContextOf(context: RouterContext): unknown {
  try {
    return context.executionCtx;
  } catch {
    // Outside of workers there is none, and none is needed.
    return undefined;
  }
}

const contextMissing =
  "Work that outlives a response, such as a task, may be ended by the worker; pass on the context of the " +
  "request: mcp(request, env, ctx)";

/** Finds `waitUntil`; undefined where the runtime ends no work. Calls `report` where it is needed and was not passed on. */
function findWaitUntil(args: RuntimeArguments, report: (message: string) => void): WaitUntil | undefined {
  for (const context of args) {
    if (isObject(context) && typeof context.waitUntil === "function")
      return (work) => void (context as { waitUntil: WaitUntil }).waitUntil(work);
  }
  return endsWorkWithRequest ? () => report(contextMissing) : undefined;
}
