/** The `error` member of a JSON-RPC response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Every numeric code that any revision of the protocol defines. */
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
