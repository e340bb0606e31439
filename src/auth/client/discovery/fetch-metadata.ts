import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { readJsonObject } from "../../fetch/read-json.ts";
import type { SafeFetch } from "../../fetch/safe-fetch.ts";
import type { AuthTrace } from "../trace.ts";

/** What discovery works with. */
export interface FetchContext {
  readonly fetch: SafeFetch;
  readonly trace: AuthTrace;
  readonly signal: AbortSignal;
}

/**
 * Reads a metadata document; undefined when there is none.
 *
 * A server in trouble is not one without metadata: taking it for that would lead elsewhere.
 */
export async function fetchMetadata(
  step: string,
  url: URL,
  { fetch, trace, signal }: FetchContext,
): Promise<JsonObject | undefined> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { accept: "application/json" }, signal });
  } catch (error) {
    const refused = error instanceof AuthorizationError && error.reason === "unsafe-address";
    trace.add(step, refused ? "refused" : "failed", { url, detail: String((error as Error).message) });
    throw error;
  }
  const { status } = response;
  if (status >= 500 || status === 429) {
    trace.add(step, "failed", { url, detail: `status ${status}` });
    throw new AuthorizationError(
      `${url.origin} answered with ${status} when asked for metadata.`,
      "unreachable",
    );
  }
  // Some sites answer everything with their front page.
  const document = status === 200 ? await readJsonObject(response) : undefined;
  if (document) trace.add(step, "ok", { url });
  else trace.add(step, "absent", { url, detail: `status ${status}` });
  return document;
}
