import type { HeaderRecord } from "../../../../contract/channel.ts";
import { isOk, mediaTypeOf, type ReceivedResponse } from "../http-exchange.ts";
import type { AuthorizedFetch } from "./authorized-fetch.ts";
import { type HttpErrorResponse, readErrorResponse } from "./error-response.ts";

export type OpenedStream =
  | { readonly kind: "events"; readonly response: ReceivedResponse }
  | { readonly kind: "refused"; readonly errorResponse: HttpErrorResponse }
  | { readonly kind: "something-else" };

/** Opens a stream of events by a GET. */
export async function openEventStream(
  { http, url }: { readonly http: AuthorizedFetch; readonly url: URL },
  headers: HeaderRecord,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const response = await http.fetch("GET", url, {
    headers: [{ accept: "text/event-stream" }, headers],
    signal,
  });
  if (!isOk(response))
    return { kind: "refused", errorResponse: await readErrorResponse(response, "GET", url) };
  if (isEventStream(response)) return { kind: "events", response };
  response.discardBody();
  return { kind: "something-else" };
}

export function isEventStream(response: ReceivedResponse): boolean {
  return mediaTypeOf(response) === "text/event-stream";
}
