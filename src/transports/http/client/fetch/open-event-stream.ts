import type { HeaderRecord } from "../../../../contract/channel.ts";
import { type AuthorizedFetch, discardBody } from "./authorized-fetch.ts";
import { type HttpErrorResponse, readErrorResponse } from "./error-response.ts";
import { mediaTypeOf } from "./read-body.ts";

export type OpenedStream =
  | { readonly kind: "events"; readonly response: Response }
  | { readonly kind: "refused"; readonly errorResponse: HttpErrorResponse }
  | { readonly kind: "something-else" };

/** Opens a stream of events by a GET. */
export async function openEventStream(
  { http, url }: { readonly http: AuthorizedFetch; readonly url: URL },
  headers: HeaderRecord,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const response = await http.fetch("GET", url, {
    headers: { accept: "text/event-stream", ...headers },
    signal,
  });
  if (!response.ok) return { kind: "refused", errorResponse: await readErrorResponse(response, "GET", url) };
  if (isEventStream(response)) return { kind: "events", response };
  discardBody(response);
  return { kind: "something-else" };
}

export function isEventStream(response: Response): boolean {
  return mediaTypeOf(response) === "text/event-stream";
}
