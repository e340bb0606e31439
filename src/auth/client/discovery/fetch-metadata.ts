import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { readJsonObject } from "../../fetch/read-json.ts";
import type { SafeFetch } from "../../fetch/safe-fetch.ts";
import type { AuthTrace } from "../trace.ts";

/** The parts that requests of discovery, registration and token endpoints share. */
export interface FetchContext {
  readonly fetch: SafeFetch;
  readonly trace: AuthTrace;
  readonly signal: AbortSignal;
  /** The origin of the MCP server, and the revision that is sent to it: its metadata may depend on it. */
  readonly server?: { readonly origin: string; readonly revision: string };
}

/**
 * Reads a metadata document; undefined when there is none.
 *
 * Throws for a server error: to take it for missing metadata could select another authorization server.
 */
export async function fetchMetadata(
  step: string,
  url: URL,
  { fetch, trace, signal, server }: FetchContext,
): Promise<JsonObject | undefined> {
  let response: Response;
  try {
    response = await fetch(url, { headers: toHeaders(url, server), signal });
  } catch (error) {
    const refused = error instanceof AuthorizationError && error.reason === "unsafe-address";
    trace.add(step, refused ? "refused" : "failed", { url, detail: String((error as Error).message) });
    throw error;
  }
  const { status } = response;
  if (status >= 500 || status === 429) {
    trace.add(step, "failed", { url, detail: `status ${status}` });
    throw new AuthorizationError(
      `The request for metadata to ${url.origin} was answered with status ${status}.`,
      "unreachable",
    );
  }
  // Some sites answer every path with their home page.
  const document = status === 200 ? await readJsonObject(response) : undefined;
  if (document) trace.add(step, "ok", { url });
  else trace.add(step, "absent", { url, detail: `status ${status}` });
  return document;
}

/** basic/authorization#server-metadata-discovery-headers (2025-03-26): only the MCP server gets the revision. */
function toHeaders({ origin }: URL, server: FetchContext["server"]): Record<string, string> {
  const accept = "application/json";
  return server?.origin === origin ? { accept, "mcp-protocol-version": server.revision } : { accept };
}
