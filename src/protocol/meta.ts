import { isObject, type JsonObject } from "../lib/json.ts";

/** Names under `_meta` that the protocol reserves. basic#meta (2026-07-28) */
export const MetaKey = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  relatedTask: "io.modelcontextprotocol/related-task",
} as const;

/** Each step repeats the token, so a long one would make a flood of a few steps. */
const maxTokenLength = 1_024;

/**
 * The token under which a request wants progress; undefined when it has none, or one that can't be repeated.
 *
 * basic/patterns/progress#progress-flow (2026-07-28)
 */
export function readProgressToken({ _meta }: JsonObject): string | number | undefined {
  const token = isObject(_meta) ? _meta.progressToken : undefined;
  if (typeof token === "string") return token.length <= maxTokenLength ? token : undefined;
  return Number.isInteger(token) ? (token as number) : undefined;
}

/** True for a request that names its revision in its own metadata. */
export function hasProtocolVersion(params: JsonObject): boolean {
  return isObject(params._meta) && params._meta[MetaKey.protocolVersion] !== undefined;
}

/** True for a request that describes its sender in its own metadata, as each request of 2026-07-28 does. */
export function describesSender({ _meta }: JsonObject): boolean {
  return isObject(_meta) && (MetaKey.clientCapabilities in _meta || MetaKey.clientInfo in _meta);
}

/** The revision that a request names in its metadata; undefined when it names none. */
export function readProtocolVersion({ _meta }: JsonObject): string | undefined {
  const version = isObject(_meta) ? _meta[MetaKey.protocolVersion] : undefined;
  return typeof version === "string" ? version : undefined;
}
