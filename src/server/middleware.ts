import type { Call } from "../contract/call.ts";
import { UsageError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import { deriveCall } from "./derive-call.ts";

/** Calls the next middleware or the handler, with `params` instead of the call's if given. */
export type Next = (changes?: { readonly params: JsonObject }) => Promise<JsonObject>;

/** A function around every request. It may change params or the result, answer itself, or refuse by throwing an RpcError. */
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
    const result: unknown = await middleware(current, (changes) =>
      step(index + 1, changes ? deriveCall(current, { params: changes.params }) : current),
    );
    if (isObject(result)) return result;
    throw new UsageError(
      `A middleware answered ${call.method} with ${describeValue(result)}; return a result, or what next() resolves with: "return next()".`,
    );
  };
  return step(0, call);
}
