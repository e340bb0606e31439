import { EventParser } from "../../transports/http/client/fetch/event-parser.ts";
import { type HttpFacts, type TranscriptEntry, toContent } from "./transcript.ts";

/** A function of the web platform that answers a request: the `fetch` of a client, or the handler of a server. */
export type FetchFunction = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

type Add = (entry: Omit<TranscriptEntry, "at">) => void;

/** The most characters of one event that are recorded. */
const maxEventChars = 16 * 1024 * 1024;

/** Sends a request and records it with its response. Events are recorded as they are read. */
export async function recordExchange(fetch: FetchFunction, request: Request, add: Add): Promise<Response> {
  const { pathname } = new URL(request.url);
  const http = { method: request.method, path: pathname, headers: toRecord(request.headers) };
  const text = await request.clone().text();
  add({ from: "client", ...(text !== "" && toContent(text)), http });
  const response = await fetch(request);
  const facts: HttpFacts = { status: response.status, headers: toRecord(response.headers) };
  const { body } = response;
  if (body && /^text\/event-stream/i.test(response.headers.get("content-type") ?? ""))
    return new Response(body.pipeThrough(recordEvents(facts, add)), response);
  const answer = body ? await response.clone().text() : "";
  add({ from: "server", ...(answer !== "" && toContent(answer)), http: facts });
  return response;
}

/** Passes a stream of events on; the first entry has the facts of the response. */
function recordEvents(facts: HttpFacts, add: Add): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let http: HttpFacts | undefined = facts;
  let isReadable = true;
  const parser = new EventParser({
    maxChars: maxEventChars,
    onEvent: ({ data }) => {
      if (data === "") return;
      add({ from: "server", ...toContent(data), ...(http && { http }) });
      http = undefined;
    },
    onRetry: () => {},
    onComment: () => {},
    onTooLarge: () => {
      isReadable = false;
    },
  });
  return new TransformStream({
    transform(chunk, controller) {
      if (isReadable) parser.feed(decoder.decode(chunk, { stream: true }));
      controller.enqueue(chunk);
    },
  });
}

function toRecord(headers: Headers): { readonly [name: string]: string } {
  return Object.fromEntries(headers);
}
