import type { Attributes } from "@opentelemetry/api";
import type { Call } from "../contract/call.ts";
import type { Destination } from "../contract/telemetry.ts";
import type { JsonObject } from "../lib/json.ts";
import { maskText } from "../lib/text/mask-text.ts";
import { targetOf, toolOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import { FewValues, other } from "./few-values.ts";

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
  /** The attributes with the names that the answer has shown to exist; those of a tool that failed may be made up. */
  readonly proven: ((hasFailed: boolean) => Attributes) | undefined;
}

interface DescribedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision?: string | undefined;
  /** False where a peer has made the names up, of which there could be any number; undefined until the answer shows it. */
  readonly isKnown: boolean | undefined;
}

const maxNames = 1_000;
const maxFailing = 100;

/** The names that are told apart: a server behind a mount or a client lists what it likes. */
export class KnownNames {
  /** Custom methods that exist. */
  readonly methods: FewValues = new FewValues(maxNames);
  /** Tools and prompts that exist. */
  readonly items: FewValues = new FewValues(maxNames);
  /** Tools that have only failed: many servers answer a name that does not exist with a tool that fails. */
  readonly failing: FewValues = new FewValues(maxFailing);
  /** Names that somebody has sent, which only spans show. */
  readonly sent: FewValues = new FewValues(maxNames);
}

export function describeRequest(
  request: DescribedRequest,
  names: KnownNames,
  items: FewValues = names.items,
): Described {
  const { method, params, revision, isKnown } = request;
  const row = methods.get(method);
  const tool = toolOf(row, params);
  const target = targetOf(row, params);
  const uri = row?.announces === "resource" ? params.uri : row?.nameParam === "uri" ? target : undefined;
  const named = row?.nameParam === "name" ? target : undefined;
  const itemKey = tool === undefined ? "gen_ai.prompt.name" : "gen_ai.tool.name";
  const toNames = (ofMethod: string, item: string | undefined): Attributes => ({
    "mcp.method.name": ofMethod,
    ...(item !== undefined && { [itemKey]: item }),
  });
  const shownMethod = row ? method : toShown(names.methods, names.sent, request.method, isKnown);
  const shownItem = named === undefined ? undefined : toShown(items, names.sent, named, isKnown);
  const item = shownItem === other && !isKnown ? undefined : shownItem;
  const isProven = isKnown !== undefined;
  const toProven = (hasFailed: boolean) => {
    const room = hasFailed && !names.items.has(named ?? "") ? names.failing : names.items;
    return describeRequest({ ...request, isKnown: true }, names, room).attributes;
  };
  return {
    name: item === undefined ? shownMethod : `${shownMethod} ${item}`,
    attributes: {
      ...(isProven ? toNames(shownMethod, item) : toNames(row ? method : other, undefined)),
      ...(revision !== undefined && { "mcp.protocol.version": revision }),
      ...(tool !== undefined && { "gen_ai.operation.name": "execute_tool" }),
    },
    details: {
      ...(!isProven && toNames(shownMethod, item)),
      ...(typeof uri === "string" && { "mcp.resource.uri": toShort(uri) }),
    },
    proven: isProven ? undefined : toProven,
  };
}

/** A name as spans show it. Those that exist have room of their own, which nobody fills with others. */
function toShown(existing: FewValues, sent: FewValues, name: string, isKnown: boolean | undefined): string {
  if (isKnown === false) return other;
  return isKnown || existing.has(name) ? existing.of(name) : sent.of(name);
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
