import type { Attributes } from "@opentelemetry/api";
import type { Call } from "../contract/call.ts";
import type { Destination } from "../contract/telemetry.ts";
import type { JsonObject } from "../lib/json.ts";
import { maskText } from "../lib/text/mask-text.ts";
import { type Method, targetOf, toolOf } from "../protocol/method.ts";
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

/** The names that are shown as they are. They have a limit: a server behind a mount or a client lists what it likes. */
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

/** Describes a request. Until its answer has shown that its names exist, only the span shows them. */
export function describeRequest(request: DescribedRequest, names: KnownNames): Described {
  const { params, revision, isKnown } = request;
  const subject = toSubject(request);
  const { row, item } = subject;
  const common: Attributes = {
    ...(revision !== undefined && { "mcp.protocol.version": revision }),
    ...(toolOf(row, params) !== undefined && { "gen_ai.operation.name": "execute_tool" }),
  };
  const uri = row?.announces === "resource" ? params.uri : subject.uri;
  const details: Attributes = typeof uri === "string" ? { "mcp.resource.uri": toShort(uri) } : {};
  const toAttributes = (shown: ShownNames) => ({ ...toNameAttributes(shown, subject), ...common });
  if (isKnown !== undefined) {
    const shown = isKnown ? existingNames(subject, names, names.items) : madeUpNames(subject);
    return { name: toSpanName(shown), attributes: toAttributes(shown), details, proven: undefined };
  }
  const sent = sentNames(subject, names);
  return {
    name: toSpanName(sent),
    attributes: toAttributes(madeUpNames(subject)),
    details: { ...toNameAttributes(sent, subject), ...details },
    proven(hasFailed) {
      const items = hasFailed && !names.items.has(item ?? "") ? names.failing : names.items;
      return toAttributes(existingNames(subject, names, items));
    },
  };
}

/** The things that a request names. */
interface Subject {
  readonly method: string;
  /** Undefined for a custom method. */
  readonly row: Method | undefined;
  /** The name of a tool or a prompt. */
  readonly item: string | undefined;
  readonly uri: string | undefined;
}

function toSubject({ method, params }: DescribedRequest): Subject {
  const row = methods.get(method);
  const target = targetOf(row, params);
  return {
    method,
    row,
    item: row?.nameParam === "name" ? target : undefined,
    uri: row?.nameParam === "uri" ? target : undefined,
  };
}

/** The names of a request as telemetry shows them. */
interface ShownNames {
  readonly method: string;
  readonly item: string | undefined;
}

/** Names that exist. They have room of their own, which nobody fills with others. */
function existingNames({ row, method, item }: Subject, names: KnownNames, items: FewValues): ShownNames {
  return {
    method: row ? method : names.methods.of(method),
    item: item === undefined ? undefined : items.of(item),
  };
}

/** Names that may exist. */
function sentNames({ row, method, item }: Subject, names: KnownNames): ShownNames {
  const show = (existing: FewValues, name: string) => (existing.has(name) ? name : names.sent.of(name));
  const shown = item === undefined ? undefined : show(names.items, item);
  return { method: row ? method : show(names.methods, method), item: shown === other ? undefined : shown };
}

/** Only methods of the specification are known to exist without an answer. */
function madeUpNames({ row, method }: Subject): ShownNames {
  return { method: row ? method : other, item: undefined };
}

function toSpanName({ method, item }: ShownNames): string {
  return item === undefined ? method : `${method} ${item}`;
}

function toNameAttributes({ method, item }: ShownNames, { row }: Subject): Attributes {
  const itemKey = row?.runsTool ? "gen_ai.tool.name" : "gen_ai.prompt.name";
  return { "mcp.method.name": method, ...(item !== undefined && { [itemKey]: item }) };
}

export function toRequestId(id: unknown): Attributes {
  return { "jsonrpc.request.id": String(id).slice(0, maxChars) };
}

/**
 * The beginning of a session's id, which distinguishes sessions. Where nobody logs in, the whole of it is all that it takes
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
