import { RpcError } from "../errors.ts";

/** Every numeric code that any revision of the protocol defines. basic#error-codes (2026-07-28) */
export const WireCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedRevision: -32022,
  urlElicitationRequired: -32042,
} as const;

export function methodNotFound(method: string): RpcError {
  return new RpcError(WireCode.methodNotFound, `Method not found: ${method}`);
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(WireCode.invalidParams, message, data);
}

export function invalidRequest(message: string): RpcError {
  return new RpcError(WireCode.invalidRequest, message);
}
