import type { Attributes } from "@opentelemetry/api";
import type { Call } from "../contract/call.ts";
import type { Destination } from "../contract/telemetry.ts";
import type { JsonObject } from "../lib/json.ts";
import { maskText } from "../lib/text/mask-text.ts";
import { targetOf, toolOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import { type FewValues, other } from "./few-values.ts";

// The names are those of the semantic conventions of OpenTelemetry for MCP.

/** A peer chooses ids, URIs and messages of errors, however long. */
const maxChars = 256;
/** Secrets are looked for in this much: one that is cut in its middle would not be found. */
const maxMasked = 2_048;

/** The beginning of a text that a peer may have written, without secrets. */
export function toShort(text: string): string {
  return maskText(text.slice(0, maxMasked)).slice(0, maxChars);
}

/** A request, as far as its span and its metrics describe it. */
export interface Described {
  readonly name: string;
  /** For spans and metrics: values of which there are few. */
  readonly attributes: Attributes;
  /** For spans only. */
  readonly details: Attributes;
}

interface DescribedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision?: string | undefined;
  /** False where a peer may have made the names up, of which there could be any number. */
  readonly isKnown?: boolean | undefined;
}

/** The names of tools, prompts and custom methods. */
export const maxNames = 1_000;

/** `names` bounds those that exist: a server behind a mount or a client lists what it likes. */
export function describeRequest(
  { method, params, revision, isKnown = true }: DescribedRequest,
  names: FewValues,
): Described {
  const row = methods.get(method);
  const name = row ? method : isKnown ? names.of(method) : other;
  const tool = toolOf(row, params);
  const target = targetOf(row, params);
  const uri = row?.announces === "resource" ? params.uri : row?.nameParam === "uri" ? target : undefined;
  const item = isKnown && row?.nameParam === "name" ? target && names.of(target) : undefined;
  return {
    name: item === undefined ? name : `${name} ${item}`,
    attributes: {
      "mcp.method.name": name,
      ...(revision !== undefined && { "mcp.protocol.version": revision }),
      ...(tool !== undefined && { "gen_ai.operation.name": "execute_tool" }),
      ...(item !== undefined && { [tool === undefined ? "gen_ai.prompt.name" : "gen_ai.tool.name"]: item }),
    },
    details: typeof uri === "string" ? { "mcp.resource.uri": toShort(uri) } : {},
  };
}

export function toRequestId(id: unknown): Attributes {
  return { "jsonrpc.request.id": String(id).slice(0, maxChars) };
}

/**
 * The beginning of a session's id, which tells sessions apart. Where nobody logs in, the whole of it is all that it takes
 * to use the session.
 */
export function toSessionId(id: string): Attributes {
  return { "mcp.session.id": id.slice(0, 8) };
}

/** The network of a call on the server, as far as the call shows it. */
export function toNetwork({ http, address }: Pick<Call, "http" | "address">): Attributes {
  if (http === undefined) return { "network.transport": address === undefined ? "pipe" : "tcp" };
  const protocol = http.headers.get("upgrade")?.toLowerCase() === "websocket" ? "websocket" : "http";
  return { "network.transport": "tcp", "network.protocol.name": protocol };
}

const networks: Readonly<Record<string, Attributes>> = {
  http: { "network.transport": "tcp", "network.protocol.name": "http" },
  websocket: { "network.transport": "tcp", "network.protocol.name": "websocket" },
  socket: { "network.transport": "tcp" },
  stdio: { "network.transport": "pipe" },
};

/** The server that a client talks to. */
export function toServer({ kind, address }: Destination): Attributes {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  return {
    ...networks[kind],
    ...(url?.hostname && { "server.address": url.hostname, "server.port": portOf(url) }),
  };
}

function portOf({ port, protocol }: URL): number {
  return port === "" ? (/s:$/.test(protocol) ? 443 : 80) : Number(port);
}
