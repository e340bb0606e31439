import { assertOptions } from "../../../../contract/options.ts";
import { type Servable, serviceOf } from "../../../../contract/service.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { type HttpOptions, httpOptionKinds } from "../http-options.ts";
import { FetchReply } from "./fetch-reply.ts";
import { FetchRequest } from "./fetch-request.ts";
import { findWaitUntil } from "./fetch-runtime.ts";
import { type RouterContext, toFetchCall } from "./router-context.ts";

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
    const { request, pattern, runtime, next } = toFetchCall(given, args);
    const waitUntil = findWaitUntil(runtime, reportOnce);
    const http = new FetchRequest({ request, pattern, runtime, waitUntil }, endpoint);
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
