import type { Call } from "../contract/call.ts";
import type { JsonObject } from "../lib/json.ts";
import { deriveCall } from "./derive-call.ts";

/** Goes on to the next middleware, or the handler; with other params if some are given. */
export type Next = (changes?: { readonly params: JsonObject }) => Promise<JsonObject>;

/** Stands around every request: may look, change, answer itself, or refuse by throwing an RpcError. */
export type Middleware = (call: Call, next: Next) => JsonObject | Promise<JsonObject>;

/** Runs a call through the middlewares, outermost first, to its handler. */
export function runMiddlewares(
  middlewares: readonly Middleware[],
  call: Call,
  handler: (call: Call) => JsonObject | Promise<JsonObject>,
): Promise<JsonObject> {
  const step = async (index: number, current: Call): Promise<JsonObject> => {
    const middleware = middlewares[index];
    if (middleware === undefined) return handler(current);
    return middleware(current, (changes) =>
      step(index + 1, changes ? deriveCall(current, { params: changes.params }) : current),
    );
  };
  return step(0, call);
}
