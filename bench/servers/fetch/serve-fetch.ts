import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { announce } from "../shared/announce.ts";

/** Serves a handler of the web platform on node:http, with no more conversion than it needs. */
export function serveFetch(handle: (request: Request) => Promise<Response | null>): void {
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(method === "POST" && { body: await buffer(incoming) }),
    });
    const response = (await handle(request)) ?? new Response(null, { status: 404 });
    const body = await response.text();
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(body);
  });
  announce(server);
}
