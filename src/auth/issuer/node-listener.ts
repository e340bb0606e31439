/** What is needed of a request of node:http. */
export interface NodeMessage extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/** What is needed of an answer of node:http. */
export interface NodeResponse {
  writeHead(status: number, headers: { [name: string]: string | string[] }): unknown;
  end(body?: Uint8Array): unknown;
}

export type FetchAnswerer = (request: Request) => Promise<Response>;
export type NodeListener = (request: NodeMessage, response: NodeResponse) => void;

/** Lets a handler of the web platform answer requests of node:http that come to `origin`. */
export function toNodeListener(answer: FetchAnswerer, origin: string): NodeListener {
  return (message, response) => void reply(message, response, { answer, origin });
}

interface Answering {
  readonly answer: FetchAnswerer;
  readonly origin: string;
}

async function reply(
  message: NodeMessage,
  response: NodeResponse,
  { answer, origin }: Answering,
): Promise<void> {
  try {
    const answered = await answer(toRequest(message, origin));
    const body = new Uint8Array(await answered.arrayBuffer());
    response.writeHead(answered.status, toHeaders(answered));
    response.end(body);
  } catch {
    response.writeHead(400, {});
    response.end();
  }
}

function toRequest(message: NodeMessage, origin: string): Request {
  const { method = "GET", url = "/", rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  // Not resolved against the origin, so that `//elsewhere/x` stays a path of ours.
  const init = { method, headers, ...(hasBody && { body: toStream(message), duplex: "half" }) };
  return new Request(origin + (url.startsWith("/") ? url : "/"), init as RequestInit);
}

function toStream(message: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const parts = message[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    async cancel() {
      await parts.return?.();
    },
  });
}

function toHeaders({ headers }: Response): { [name: string]: string | string[] } {
  const all: { [name: string]: string | string[] } = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) all["set-cookie"] = cookies;
  return all;
}
