import type { HeaderRecord } from "../../../../contract/channel.ts";
import type { ShapeParts } from "../shapes/shape.ts";
import { discardBody } from "./authorized-fetch.ts";
import { type HttpErrorResponse, readErrorResponse } from "./error-response.ts";
import { mediaTypeOf } from "./read-body.ts";

export type OpenedStream =
  | { readonly kind: "events"; readonly response: Response }
  | { readonly kind: "refused"; readonly refusal: HttpErrorResponse }
  | { readonly kind: "something-else" };

/** Asks for a stream of events. */
export async function openEventStream(
  { sender, url }: ShapeParts,
  headers: HeaderRecord,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const response = await sender.fetch("GET", url, {
    headers: { accept: "text/event-stream", ...headers },
    signal,
  });
  if (!response.ok) return { kind: "refused", refusal: await readErrorResponse(response, "GET", url) };
  if (isEventStream(response)) return { kind: "events", response };
  discardBody(response);
  return { kind: "something-else" };
}

export function isEventStream(response: Response): boolean {
  return mediaTypeOf(response) === "text/event-stream";
}
