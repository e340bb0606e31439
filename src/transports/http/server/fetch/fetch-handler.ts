import { assertOptions } from "../../../../contract/options.ts";
import { type Servable, serviceOf } from "../../../../contract/service.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { type HttpOptions, httpOptionKinds } from "../http-options.ts";
import { FetchReply } from "./fetch-reply.ts";
import { FetchRequest } from "./fetch-request.ts";
import { findWaitUntil } from "./fetch-runtime.ts";

/** A handler of the web platform, for workers, Deno, Bun and any router that speaks `Request` and `Response`. */
export interface FetchHandler {
  /** Pass on all arguments that the runtime gives: with them tasks go on in a worker, and callers are counted by address in Deno and Bun. */
  (request: Request, ...runtime: readonly unknown[]): Promise<Response>;
  /** Takes no more requests, lets running ones finish within `drainMs`, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

/** Serves a server value wherever there is `fetch`. */
export function createFetchHandler(server: Servable, options: HttpOptions = {}): FetchHandler {
  assertOptions("createFetchHandler", options, httpOptionKinds);
  const service = serviceOf("createFetchHandler", server);
  const endpoint = new HttpEndpoint(service, options);
  const reportOnce = toOnce((message: string) => service.report(message, undefined));
  const handle = async (request: Request, ...runtime: readonly unknown[]): Promise<Response> => {
    if (service.ready !== undefined) await service.ready;
    const reply = new FetchReply(request.signal, endpoint.stallMs);
    endpoint.handle(new FetchRequest(request, runtime, findWaitUntil(runtime, reportOnce)), reply);
    return reply.response;
  };
  return Object.assign(handle, { close: (drainMs?: number) => endpoint.close(drainMs) });
}

function toOnce(report: (message: string) => void): (message: string) => void {
  let isDone = false;
  return (message) => {
    if (!isDone) report(message);
    isDone = true;
  };
}
