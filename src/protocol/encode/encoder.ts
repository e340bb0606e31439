import type { JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../meta.ts";
import { methods } from "../method-table.ts";
import type { Implementation } from "../model/identity.ts";
import { encodeImplementation } from "./item.ts";
import { type WireRules, without } from "./wire-rules.ts";

/** From the neutral model to the words of one revision. Never changes its arguments. */
export interface Encoder {
  /** Params of a request or notification, whichever side sends it. */
  params(method: string, params: JsonObject): JsonObject;
  /** A result of the server; `server` is named in it where the revision wants that. */
  result(method: string, result: JsonObject, server: Implementation): JsonObject;
  /** A result of the client. */
  answer(method: string, result: JsonObject): JsonObject;
  implementation(value: Implementation): Implementation;
}

/** The encoder of a revision. The rows of the method table say how each method is written. */
export function createEncoder(rules: WireRules): Encoder {
  const encodeResult = (method: string, result: JsonObject) => {
    const encode = methods.get(method)?.encode?.result;
    return encode ? encode(rules, result) : result;
  };
  return {
    params: (method, params) => {
      const encode = methods.get(method)?.encode?.params;
      return encode ? encode(rules, params) : params;
    },
    result: rules.describesResults
      ? (method, result, server) => describeResult(encodeResult(method, result), server)
      : (method, result) =>
          methods.has(method) ? without(encodeResult(method, result), rules.omit.result) : result,
    answer: encodeResult,
    implementation: (value) => encodeImplementation(rules, value),
  };
}

function describeResult(result: JsonObject, server: Implementation): JsonObject {
  const _meta = { ...(result._meta as JsonObject | undefined), [MetaKey.serverInfo]: server };
  return { resultType: "complete", ...result, _meta };
}
