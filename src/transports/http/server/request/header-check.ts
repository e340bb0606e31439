import { RpcError } from "../../../../errors.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { decodeHeaderValue } from "../../../../protocol/headers/header-value.ts";
import { type ParamHeader, readHeaderParam } from "../../../../protocol/headers/param-headers.ts";
import type { RpcRequest } from "../../../../protocol/message.ts";
import { readProtocolVersion } from "../../../../protocol/meta.ts";
import { targetOf } from "../../../../protocol/method.ts";
import type { SupportedRevisions } from "../../../../protocol/negotiate.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import { WireCode } from "../../../../protocol/wire-error.ts";
import type { HttpRequest } from "../http-interface.ts";
import { versionHeader } from "./request-revision.ts";

/**
 * Refuses a request whose header names another version than its body, or neither names one.
 *
 * basic/transports/streamable-http#protocol-version-header (2026-07-28)
 */
export function assertVersionHeader(
  http: HttpRequest,
  params: JsonObject,
  supported: SupportedRevisions,
): void {
  const version = readProtocolVersion(params);
  const header = http.header(versionHeader);
  if (version !== undefined) return assertHeader("MCP-Protocol-Version", header, version);
  if (header !== undefined) return;
  const { names } = supported;
  const problem = `MCP-Protocol-Version is missing; this server speaks ${names.join(", ")}.`;
  throw headerMismatch(problem, { supported: names });
}

/**
 * Refuses a request whose headers contradict its body: a proxy may have routed it by its headers.
 *
 * basic/transports/streamable-http#server-validation (2026-07-28)
 */
export function assertHeadersMatch(
  http: HttpRequest,
  request: RpcRequest,
  revision: Revision,
  mirrored: readonly ParamHeader[],
): void {
  assertHeader("Mcp-Method", http.header("mcp-method"), request.method);
  const target = targetOf(revision.methods.get(request.method), request.params);
  if (target !== undefined) assertHeader("Mcp-Name", decoded("Mcp-Name", http.header("mcp-name")), target);
  for (const param of mirrored) assertParam(http, param, request.params.arguments);
}

function assertParam(http: HttpRequest, param: ParamHeader, args: unknown): void {
  const name = `Mcp-Param-${param.name}`;
  const value = readHeaderParam(args, param);
  const header = decoded(name, http.header(name.toLowerCase()));
  if (value === undefined && header === undefined) return;
  if (typeof value === "number" && header !== undefined && header !== "" && Number(header) === value) return;
  assertHeader(name, header, value === undefined ? undefined : String(value));
}

function decoded(name: string, header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const value = decodeHeaderValue(header.trim());
  if (value === undefined) throw headerMismatch(`${name} is not valid base64.`);
  return value;
}

/** Throws the error of a header that is missing or differs from the body. */
function assertHeader(name: string, header: string | undefined, body: unknown): void {
  if (header === undefined) throw headerMismatch(`${name} is missing.`);
  if (header.trim() !== body && header !== body) throw headerMismatch(`${name} does not match the body.`);
}

function headerMismatch(message: string, data?: JsonObject): RpcError {
  return new RpcError(WireCode.headerMismatch, `Header mismatch: ${message}`, data);
}
