import { isObject } from "../../../../lib/json.ts";
import { endsWorkWithRequest } from "../../../../lib/runtime.ts";

/**
 * The arguments that runtimes pass to a fetch handler after the request: `env` and a context with `waitUntil`
 * in workers, the address of the client in Deno, the server in Bun.
 */
export type RuntimeArguments = readonly unknown[];

/** Keeps the runtime from ending work that outlives the response. */
export type WaitUntil = (work: Promise<unknown>) => void;

const contextMissing =
  "Work that outlives a response, such as a task, may be ended by the worker; pass on the context of the " +
  "request: mcp(request, env, ctx)";

/** Finds `waitUntil`; undefined where the runtime ends no work. Calls `report` where it is needed and was not passed on. */
export function findWaitUntil(
  args: RuntimeArguments,
  report: (message: string) => void,
): WaitUntil | undefined {
  for (const context of args) {
    if (isObject(context) && typeof context.waitUntil === "function")
      return (work) => void (context as { waitUntil: WaitUntil }).waitUntil(work);
  }
  return endsWorkWithRequest ? () => report(contextMissing) : undefined;
}

/** The address of the client, where the runtime gives it: Deno in an argument, Bun by its server. */
export function findAddress(request: Request, args: RuntimeArguments): string | undefined {
  const [from] = args;
  if (!isObject(from)) return undefined;
  const { remoteAddr, requestIP } = from as {
    remoteAddr?: { hostname?: unknown };
    requestIP?: unknown;
  };
  const address =
    typeof requestIP === "function" ? requestIP.call(from, request)?.address : remoteAddr?.hostname;
  return typeof address === "string" ? address : undefined;
}
