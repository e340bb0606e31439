import { isObject, type JsonObject, JsonText, toJsonText } from "../../lib/json.ts";
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
  /** The same as JSON text. Throws for a value that is not JSON. */
  resultText(method: string, result: JsonObject, server: Implementation): JsonText;
  implementation(value: Implementation): Implementation;
}

/** The encoder of a revision. The rows of the method table define how each method is written. */
export function createEncoder(rules: WireRules): Encoder {
  const encodeResult = (method: string, result: JsonObject) => {
    const encode = methods.get(method)?.encode?.result;
    return encode ? encode(rules, result) : result;
  };
  const result: Encoder["result"] = rules.describesResults
    ? (method, neutral, server) => describeResult(encodeResult(method, neutral), server)
    : (method, neutral) =>
        methods.has(method) ? without(encodeResult(method, neutral), rules.omit.result) : neutral;
  return {
    params: (method, params) => {
      const encode = methods.get(method)?.encode?.params;
      return encode ? encode(rules, params) : params;
    },
    result,
    resultText: rules.describesResults
      ? describingText(encodeResult)
      : (method, neutral, server) => new JsonText(toJsonText(result(method, neutral, server))),
    implementation: (value) => encodeImplementation(rules, value),
  };
}

/** Writes described results. The description of the server is the same in all of them, and is written once. */
function describingText(
  encodeResult: (method: string, result: JsonObject) => JsonObject,
): Encoder["resultText"] {
  let described: Implementation | undefined;
  let end = "";
  return (method, neutral, server) => {
    const result = withoutToJson(encodeResult(method, neutral));
    if ("_meta" in result || "resultType" in result)
      return new JsonText(toJsonText(describeResult(result, server)));
    if (server !== described) {
      described = server;
      end = toJsonText(describeResult({}, server)).slice(1);
    }
    const members = toJsonText(result).slice(0, -1);
    return new JsonText(members === "{" ? `{${end}` : `${members},${end}`);
  };
}

/** The members of a result are known only after its own `toJSON`, if it has one. */
function withoutToJson(result: JsonObject): JsonObject {
  if (typeof result.toJSON !== "function") return result;
  const plain: unknown = JSON.parse(toJsonText(result));
  if (!isObject(plain)) throw new TypeError("The toJSON of a result must give an object.");
  return plain;
}

function describeResult(result: JsonObject, server: Implementation): JsonObject {
  const _meta = { ...(result._meta as JsonObject | undefined), [MetaKey.serverInfo]: server };
  return { resultType: "complete", ...result, _meta };
}
