import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";

/** Puts a handler of the web platform behind node:http, as the platforms do: without a usable Host there is no URL. */
export async function listenFetch(handle: (request: Request) => Promise<Response>) {
  const open = new Set<Promise<void>>();
  const http = createServer((incoming, outgoing) => {
    const answered = answer(handle, incoming, outgoing).finally(() => open.delete(answered));
    open.add(answered);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  /** What was written leaves, if it is read. */
  const close = async () => {
    await Promise.race([Promise.allSettled(open), setTimeout(500)]);
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return { port, close };
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const request = toRequest(incoming, gone.signal);
  if (request === undefined) return void outgoing.writeHead(400).end();
  try {
    const response = await handle(request);
    outgoing.writeHead(response.status, [...response.headers].flat());
    outgoing.flushHeaders();
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body as never), outgoing);
  } catch {
    // The reader is gone, or was cut.
    outgoing.destroy();
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const url = `http://${incoming.headers.host}${incoming.url}`;
  if (!URL.canParse(url) || new URL(url).username !== "") return undefined;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
  return new Request(url, {
    method: incoming.method ?? "GET",
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: "half" }),
  });
}
