import { encodeHeaderValue } from "../../../../protocol/header-value.ts";
import type { RpcRequest } from "../../../../protocol/message.ts";
import { nameParams, type ParamHeader, readHeaderParam } from "../../../../protocol/param-headers.ts";
import type { HeaderRecord } from "../options.ts";

/** What of a request is repeated in its headers, where requests stand for themselves. */
export function toRequestHeaders(
  { method, params }: RpcRequest,
  version: string,
  mirrored: readonly ParamHeader[],
): HeaderRecord {
  const headers: { [name: string]: string } = { "mcp-protocol-version": version, "mcp-method": method };
  const name = params[nameParams.get(method) ?? ""];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  for (const param of mirrored) {
    const value = toHeaderValue(readHeaderParam(params.arguments, param));
    if (value !== undefined) headers[`mcp-param-${param.name}`] = value;
  }
  return headers;
}

/** Undefined for what no header carries: nothing, and what has no one spelling. */
function toHeaderValue(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return encodeHeaderValue(value);
    case "number":
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}
