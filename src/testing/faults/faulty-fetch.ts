import { sleep } from "../../lib/async/sleep.ts";
import type { FetchFunction } from "../transcript/record-exchange.ts";
import type { FaultKind, FaultPlan, InjectedFault } from "./fault.ts";

const requestKinds: readonly FaultKind[] = ["status", "drop", "duplicate", "delay"];
const responseKinds: readonly FaultKind[] = ["drop", "cut", "delay"];

/** A `fetch` whose requests and responses meet the faults of a plan. */
export function createFaultyFetch(fetch: FetchFunction, plan: FaultPlan): FetchFunction {
  return async (input, init) => {
    const request = new Request(input, init);
    const method = await methodOf(request);
    const before = plan.next("sent", method, requestKinds);
    const response = await send(fetch, request, plan, before);
    if (before?.kind === "status") return response;
    const after = plan.next("received", method, responseKinds);
    if (after === undefined) return response;
    if (after.kind === "delay") await sleep(plan.delayMs("received"), request.signal);
    if (after.kind === "drop") throw new TypeError("fetch failed", { cause: plan.toError(after) });
    // The error of `fetch` for a body that ends too early.
    const cut = () => new TypeError("terminated", { cause: plan.toError(after) });
    return after.kind === "cut" ? cutShort(response, cut()) : response;
  };
}

async function send(
  fetch: FetchFunction,
  request: Request,
  plan: FaultPlan,
  fault: InjectedFault | undefined,
): Promise<Response> {
  switch (fault?.kind) {
    case "status":
      return new Response(plan.toError(fault).message, { status: plan.options.statusCode ?? 503 });
    case "drop":
      throw new TypeError("fetch failed", { cause: plan.toError(fault) });
    case "duplicate": {
      const first = await fetch(request.clone());
      await first.body?.cancel();
      return fetch(request);
    }
    case "delay":
      await sleep(plan.delayMs("sent"), request.signal);
      return fetch(request);
    default:
      return fetch(request);
  }
}

/** The response with a body that breaks after its first piece. */
function cutShort(response: Response, error: Error): Response {
  if (response.body === null) return response;
  const cutting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, Math.ceil(chunk.length / 2)));
      controller.error(error);
    },
  });
  return new Response(response.body.pipeThrough(cutting), response);
}

/** The method of the message that a request carries. */
async function methodOf(request: Request): Promise<string | undefined> {
  const text = await request.clone().text();
  return /"method"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? (text === "" ? request.method : undefined);
}
