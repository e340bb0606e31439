import type { Call } from "../contract/call.ts";
import { type ContextValue, noValues } from "../contract/context-key.ts";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { UsageError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import { deriveCall } from "./derive-call.ts";

/** The changes that a middleware makes to a call. */
export interface NextChanges {
  /** The params, instead of those of the call. */
  readonly params?: JsonObject | undefined;
  /** Values for the middlewares that follow and for the handler, which reads them with `ctx.get`. */
  readonly values?: readonly ContextValue[] | undefined;
}

/** Calls the next middleware or the handler, with changes if given. The call itself is no change. */
export type Next = (changes?: NextChanges) => Promise<JsonObject>;

/** A function around every request. It may change params or the result, answer itself, or refuse by throwing an RpcError. */
export type Middleware = (call: Call, next: Next) => JsonObject | Promise<JsonObject>;

/** Runs a call through the middlewares, outermost first, to its handler. */
export function runMiddlewares(
  middlewares: readonly Middleware[],
  call: Call,
  handler: (call: Call) => JsonObject | Promise<JsonObject>,
): Promise<JsonObject> {
  const step = async (index: number, before: Call, changes?: NextChanges): Promise<JsonObject> => {
    const isChanged = changes !== undefined && changes !== before;
    const current = isChanged ? change(before, changes) : before;
    const middleware = middlewares[index];
    if (middleware === undefined) return handler(current);
    const result: unknown = await middleware(current, (changed) => step(index + 1, current, changed));
    if (isObject(result)) return result;
    throw new UsageError(
      `A middleware answered ${call.method} with ${describeValue(result)}; return a result or "return next()".`,
    );
  };
  return step(0, call);
}

function change(call: Call, changes: NextChanges): Call {
  const kinds: OptionKinds<NextChanges> = { params: "object", values: "array" };
  assertOptions("next", changes, kinds);
  const { params = call.params, values } = changes;
  return deriveCall(call, { params, given: values && (call.given ?? noValues).with(values) });
}
