import type { Call } from "../peer/call.ts";
import type { JsonObject } from "../protocol/json.ts";

export type Next = (call?: Call) => Promise<JsonObject>;

/** Stands around every request: may look, change, answer itself, or refuse by throwing. */
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
    return middleware(current, (changed = current) => step(index + 1, changed));
  };
  return step(0, call);
}
