import type { RequestOptions } from "../contract/channel.ts";
import { UsageError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";

/** One request on its way to the server. */
export interface ClientCall extends RequestOptions {
  readonly method: string;
  readonly params: JsonObject;
}

export type ClientNext = (call?: ClientCall) => Promise<JsonObject>;

/** Wraps every request that goes out: may look, change, answer itself, try again, or refuse by throwing. */
export type ClientMiddleware = (call: ClientCall, next: ClientNext) => JsonObject | Promise<JsonObject>;

/** Runs a call through the middlewares, outermost first, to the channel. */
export function runClientMiddlewares(
  middlewares: readonly ClientMiddleware[],
  call: ClientCall,
  send: (call: ClientCall) => Promise<JsonObject>,
): Promise<JsonObject> {
  if (middlewares.length === 0) return send(call);
  const step = async (index: number, current: ClientCall): Promise<JsonObject> => {
    const middleware = middlewares[index];
    if (middleware === undefined) return send(current);
    const result: unknown = await middleware(current, (changed = current) => step(index + 1, changed));
    if (isObject(result)) return result;
    throw new UsageError(
      `A middleware answered ${call.method} with ${describeValue(result)}; return a result, or what next() resolves with: "return next()".`,
    );
  };
  return step(0, call);
}
