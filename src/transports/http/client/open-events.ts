import type { HeaderRecord } from "./http-client-options.ts";
import type { LineParts } from "./line.ts";
import { typeOf } from "./read-body.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { discard } from "./sender.ts";

export type Opened =
  | { readonly kind: "events"; readonly response: Response }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "something-else" };

/** Asks for a stream of events. */
export async function openEvents(
  { sender, url }: LineParts,
  headers: HeaderRecord,
  signal: AbortSignal,
): Promise<Opened> {
  const response = await sender.send("GET", url, {
    headers: { accept: "text/event-stream", ...headers },
    signal,
  });
  if (!response.ok) return { kind: "refused", refusal: await readRefusal(response, "GET", url) };
  if (isEventStream(response)) return { kind: "events", response };
  discard(response);
  return { kind: "something-else" };
}

export function isEventStream(response: Response): boolean {
  return typeOf(response) === "text/event-stream";
}
