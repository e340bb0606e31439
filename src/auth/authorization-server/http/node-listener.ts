/** What is needed of a request of node:http. */
export interface NodeMessage {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The whole path, where `url` has lost the part under which the handler is mounted. */
  readonly originalUrl?: string;
  readonly rawHeaders: readonly string[];
  on(event: string, listener: (value: Uint8Array) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** What is needed of an answer of node:http. */
export interface NodeResponse {
  writeHead(status: number, headers: { [name: string]: string | string[] }): unknown;
  end(body?: Uint8Array): unknown;
}

export type NodeListener = (request: NodeMessage, response: NodeResponse, next?: () => void) => void;

export interface NodeListenerOptions {
  /** Undefined for what is for somebody else to answer. */
  readonly answer: (request: Request) => Promise<Response | undefined>;
  readonly origin: string;
}

/** Lets a handler of the web platform answer requests of node:http that come to `origin`. */
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
  { answer, origin, next }: NodeListenerOptions & { readonly next: (() => void) | undefined },
): Promise<void> {
  const request = toRequest(message, origin);
  const answered = request ? await answer(request) : new Response(null, { status: 400 });
  if (answered === undefined && next !== undefined) return next();
  const { status = 404, headers = new Headers() } = answered ?? {};
  const body = await answered?.arrayBuffer();
  response.writeHead(status, toHeaders(headers));
  response.end(body && new Uint8Array(body));
}

/** Undefined for what the web platform can't say, such as the method TRACE. */
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
    // Not resolved against the origin, so that `//elsewhere/x` stays a path of ours.
    return new Request(origin + (path.startsWith("/") ? path : "/"), init as RequestInit);
  } catch {
    return undefined;
  }
}

/** Starts to flow when it is read, so that a request that is handed on is still whole. */
function toStream(message: NodeMessage): ReadableStream<Uint8Array> {
  let isOpen = true;
  let isListening = false;
  const listen = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    isListening = true;
    const settle = (how: () => void) => {
      if (isOpen) how();
      isOpen = false;
    };
    message.on("data", (chunk) => {
      if (!isOpen) return;
      controller.enqueue(new Uint8Array(chunk));
      message.pause();
    });
    message.on("end", () => settle(() => controller.close()));
    const lose = () => settle(() => controller.error(new Error("The body did not arrive whole.")));
    message.on("error", lose);
    message.on("close", lose);
  };
  return new ReadableStream(
    {
      pull(controller) {
        if (!isListening) listen(controller);
        message.resume();
      },
      // The rest passes unread: a connection that is closed while the client sends may lose the answer.
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
