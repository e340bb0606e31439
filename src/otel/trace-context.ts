import type { Context } from "@opentelemetry/api";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { OtelApi } from "./otel-api.ts";

/**
 * The members of `_meta` that carry a trace, with the longest value that is read. basic#meta (2026-07-28): other
 * names would need a prefix. W3C asks for 512 characters of tracestate, and for 8,192 of baggage.
 */
const maxChars = { traceparent: 256, tracestate: 2_048, baggage: 8_192 } as const;
const members = Object.keys(maxChars) as readonly (keyof typeof maxChars)[];

/** The params with the context of a trace in their metadata. */
export function withTraceContext(api: OtelApi, context: Context, params: JsonObject): JsonObject {
  const carrier: Record<string, string> = {};
  api.propagation.inject(context, carrier);
  const carried = members.filter((name) => typeof carrier[name] === "string");
  if (carried.length === 0) return params;
  const meta = isObject(params._meta) ? params._meta : {};
  return {
    ...params,
    _meta: { ...meta, ...Object.fromEntries(carried.map((name) => [name, carrier[name]])) },
  };
}

/** The context that the metadata of params carry, on top of `context`. */
export function readTraceContext(api: OtelApi, context: Context, params: JsonObject): Context {
  const meta = isObject(params._meta) ? params._meta : {};
  const carried = members.filter((name) => isCarried(meta[name], maxChars[name]));
  if (carried.length === 0) return context;
  return api.propagation.extract(context, Object.fromEntries(carried.map((name) => [name, meta[name]])));
}

/** False for what is too long: a propagator may keep all of it, and pass it on with every request. */
function isCarried(value: unknown, maxLength: number): boolean {
  return typeof value === "string" && value.length <= maxLength;
}
