import { type Answer, exchange, type Sent } from "./exchange.ts";

export const newest = "2026-07-28";

export interface NewestOptions {
  readonly id?: string | number;
  readonly headers?: Sent["headers"];
  readonly meta?: Record<string, unknown>;
  readonly capabilities?: object;
  readonly signal?: AbortSignal;
}

/** A request of the newest revision, with all that it needs in body and headers. */
export function toNewest(method: string, params: object, options: NewestOptions = {}) {
  const body = {
    jsonrpc: "2.0",
    id: options.id ?? 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": newest,
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": options.capabilities ?? {},
        ...options.meta,
      },
    },
  };
  const { name, uri } = params as { name?: string; uri?: string };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": newest,
    "mcp-method": method,
    "mcp-name": uri ?? name,
    ...options.headers,
  };
  return { body, headers };
}

/** Sends one request of the newest revision. */
export function askNewest(
  url: string,
  method: string,
  params: object = {},
  options: NewestOptions = {},
): Promise<Answer> {
  const { signal } = options;
  return exchange(url, { ...toNewest(method, params, options), ...(signal && { signal }) });
}

/** Calls a tool in the newest revision. */
export function callNewest(
  url: string,
  name: string,
  args: object = {},
  options?: NewestOptions,
): Promise<Answer> {
  return askNewest(url, "tools/call", { name, arguments: args }, options);
}
