import type { Attributes } from "@opentelemetry/api";
import { ConnectionClosedError, McpError, RpcError } from "../errors.ts";
import { isObject, JsonText } from "../lib/json.ts";
import { toShort } from "./attributes.ts";
import { other } from "./few-values.ts";

/** The failure of an operation. */
export interface SpanFailure {
  readonly attributes: Attributes;
  readonly message?: string | undefined;
}

export const cancelledFailure: SpanFailure = { attributes: { "error.type": "cancelled" } };

export const toolFailure: SpanFailure = { attributes: { "error.type": "tool_error" } };

export function toSpanFailure(error: unknown): SpanFailure {
  if (error instanceof RpcError) {
    const code = String(error.wireCode);
    return {
      attributes: { "error.type": code, "rpc.response.status_code": code },
      message: toShort(error.message),
    };
  }
  if (error instanceof McpError)
    return { attributes: { "error.type": error.code }, message: toShort(error.message) };
  return { attributes: { "error.type": error instanceof Error ? error.name : other } };
}

/** The failure that ended a session; undefined where one of the sides closed it. */
export function toSessionFailure(reason: Error | undefined): SpanFailure | undefined {
  const isClosed = reason instanceof ConnectionClosedError && reason.cause === undefined;
  return reason === undefined || isClosed ? undefined : toSpanFailure(reason.cause ?? reason);
}

/** The failure that a result reports: that of a tool. */
export function failureOf(result: unknown): SpanFailure | undefined {
  if (result instanceof JsonText) {
    if (!result.text.includes('"isError":true')) return undefined;
    return failureOf(JSON.parse(result.text));
  }
  return isObject(result) && result.isError === true ? toolFailure : undefined;
}
