import type { JsonObject } from "../../../../lib/json.ts";
import { readProtocolVersion } from "../../../../protocol/meta.ts";
import type { SupportedRevisions } from "../../../../protocol/negotiate.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import type { HttpRequest } from "../http-interface.ts";
import { assertHeader, headerMismatch } from "./header-check.ts";

const versionHeader = "mcp-protocol-version";

export function readVersionHeader(http: HttpRequest): string | undefined {
  return http.header(versionHeader)?.trim();
}

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
 * The refusal of a request in a session whose header names a version that the server does not speak.
 *
 * basic/transports#protocol-version-header (2025-11-25)
 */
export function unsupportedVersion({ names }: SupportedRevisions): string {
  return `Unsupported MCP-Protocol-Version; this server speaks ${names.join(", ")}.`;
}

/** The refusal of a request whose header names another version than that of its session. */
export function contradictingVersion({ version }: Revision): string {
  return `MCP-Protocol-Version does not match the session, which is of ${version}.`;
}
