import { readClientAddress, type TrustProxy } from "../../../contract/caller/client-address.ts";
import { withAddress } from "./request-address.ts";

/** The part of node:http's IncomingMessage that is used, without a dependency on Node. */
export interface NodeMessage {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The full path in Express, where `url` lacks the path that the handler is mounted at. */
  readonly originalUrl?: string;
  readonly rawHeaders: readonly string[];
  readonly socket?: { readonly remoteAddress?: string | undefined };
  on(event: string, listener: (value: Uint8Array) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The part of node:http's ServerResponse that is used. */
export interface NodeResponse {
  writeHead(status: number, headers: { [name: string]: string | string[] }): unknown;
  end(body?: Uint8Array): unknown;
}

export type NodeListener = (request: NodeMessage, response: NodeResponse, next?: () => void) => void;

export interface NodeListenerOptions {
  /** Answers a request; undefined leaves it to the next handler. */
  readonly answer: (request: Request) => Promise<Response | undefined>;
  readonly origin: string;
  /** The proxies in front that are trusted with the address of a client. */
  readonly trustProxy?: TrustProxy | undefined;
}

/** Adapts a handler of web requests to node:http. `origin` is the origin of the requests' URLs. */
export function toNodeListener(options: NodeListenerOptions): NodeListener {
  return (message, response, next) => {
    reply(message, response, { ...options, next }).catch((error: unknown) => {
      console.error("allspeak: a request failed:", error);
      response.writeHead(500, {});
      response.end();
    });
  };
}

async function reply(
  message: NodeMessage,
  response: NodeResponse,
  { answer, origin, trustProxy, next }: NodeListenerOptions & { readonly next: (() => void) | undefined },
): Promise<void> {
  const request = toRequest(message, origin);
  if (request) withAddress(request, readAddress(message, request, trustProxy));
  const answered = request ? await answer(request) : new Response(null, { status: 400 });
  if (answered === undefined && next !== undefined) return next();
  const { status = 404, headers = new Headers() } = answered ?? {};
  const body = await answered?.arrayBuffer();
  response.writeHead(status, toHeaders(headers));
  response.end(body && new Uint8Array(body));
}

function readAddress(
  { socket }: NodeMessage,
  { headers }: Request,
  trustProxy: TrustProxy | undefined,
): string | undefined {
  const header = (name: string) => headers.get(name) ?? undefined;
  return readClientAddress({ address: socket?.remoteAddress, header }, trustProxy);
}

/** The web request; undefined for one that `Request` does not allow, such as the method TRACE. */
function toRequest(message: NodeMessage, origin: string): Request | undefined {
  const { method = "GET", rawHeaders } = message;
  const path = message.originalUrl ?? message.url ?? "/";
  const hasBody = method !== "GET" && method !== "HEAD";
  try {
    const headers = new Headers();
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
    }
    const init = { method, headers, ...(hasBody && { body: toStream(message), duplex: "half" }) };
    // Joined, not resolved against the origin, so that `//elsewhere/x` stays a path of this server.
    return new Request(origin + (path.startsWith("/") ? path : "/"), init as RequestInit);
  } catch {
    return undefined;
  }
}

/** The body as a stream that starts when it is read, so that the next handler still finds it whole. */
function toStream(message: NodeMessage): ReadableStream<Uint8Array> {
  let isOpen = true;
  let isListening = false;
  const listen = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    isListening = true;
    const settle = (action: () => void) => {
      if (isOpen) action();
      isOpen = false;
    };
    message.on("data", (chunk) => {
      if (!isOpen) return;
      controller.enqueue(new Uint8Array(chunk));
      message.pause();
    });
    message.on("end", () => settle(() => controller.close()));
    const fail = () => settle(() => controller.error(new Error("The request body is incomplete.")));
    message.on("error", fail);
    message.on("close", fail);
  };
  return new ReadableStream(
    {
      pull(controller) {
        if (!isListening) listen(controller);
        message.resume();
      },
      // The rest is read and dropped: closing the connection while the client sends could fail the response.
      cancel() {
        isOpen = false;
        message.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

function toHeaders(headers: Headers): { [name: string]: string | string[] } {
  const all: { [name: string]: string | string[] } = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) all["set-cookie"] = cookies;
  return all;
}
