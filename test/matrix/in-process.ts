import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { type Server, servePort } from "allspeak";
import { httpTransport, portTransport, type Target, websocketTransport } from "allspeak/client";
import { createFetchHandler } from "allspeak/http";
import { serveHttp, serveSocket, socketTransport, websocketLimits } from "allspeak/node";
import { WebSocket, WebSocketServer } from "ws";
import { type Balancer, startBalancer } from "../support/balancer.ts";
import { onFileFinished } from "../support/on-file-finished.ts";
import { sharedMemory } from "../support/shared-state.ts";

type AnyServer = Server<unknown>;
type Reach = (server: AnyServer) => Target | Promise<Target>;

/** Every transport on which a server value can be served by the process of the tests itself. */
const reaches = {
  memory: (server) => server,
  "unix socket": once(reachSocket),
  websocket: once(reachWebSocket),
  http: (server) => serveOverHttp(server),
  "fetch handler": once(reachFetchHandler),
  sse: async (server) => new URL("/sse", await serveOverHttp(server)).href,
  port: (server) => portTransport(() => openPort(server)),
  "three nodes": async (server) => (await serveAtThreeNodes(server)).url,
  "three nodes with sse": async (server) => `${(await serveAtThreeNodes(server)).origin}/sse`,
} satisfies Record<string, Reach>;

export type InProcessName = keyof typeof reaches;
export const inProcessNames = Object.keys(reaches) as InProcessName[];

/** What to connect to for a server value over a transport. It is served until the tests of the file are over. */
export async function reachInProcess(server: AnyServer, transport: InProcessName): Promise<Target> {
  return reaches[transport](server);
}

/** Where the unix socket of a server value is. */
export const serveUnixSocket = once(async (server: AnyServer): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "as-"));
  const path = process.platform === "win32" ? `\\\\.\\pipe\\${folder}` : join(folder, "s");
  const running = await serveSocket(server, { path });
  onFileFinished(async () => {
    await running.close(0);
    rmSync(folder, { recursive: true, force: true });
  });
  return path;
});

/** Where a server value takes WebSockets. */
export const serveWebSocket = once(async (server: AnyServer): Promise<string> => {
  const websocket = new WebSocketServer(websocketLimits());
  const running = await serveHttp(server, { websocket });
  onFileFinished(() => running.close(0));
  return running.url.replace("http:", "ws:");
});

/** Where a server value takes HTTP. */
const serveOverHttp = once(async (server: AnyServer): Promise<string> => {
  const running = await serveHttp(server);
  onFileFinished(() => running.close(0));
  return running.url;
});

/** A server value at three nodes that share a state, behind a balancer that picks one at random for each request. */
const serveAtThreeNodes = once(async (server: AnyServer): Promise<Balancer> => {
  const state = sharedMemory();
  const nodes = await Promise.all([1, 2, 3].map(() => serveHttp(server, { state })));
  const balancer = await startBalancer(nodes.map(({ url }) => new URL(url).origin));
  for (const node of nodes) onFileFinished(() => node.close(0));
  onFileFinished(() => balancer.close());
  return balancer;
});

/** A server value behind the handler of the web platform, without a socket in between. */
function reachFetchHandler(server: AnyServer): Target {
  const handler = createFetchHandler(server);
  onFileFinished(() => handler.close(0));
  return httpTransport("http://localhost/mcp", { fetch: (input, init) => handler(new Request(input, init)) });
}

/** A fresh port at whose other end a server value is served. */
export function openPort(server: AnyServer): MessageChannel["port1"] {
  const { port1, port2 } = new MessageChannel();
  servePort(server, port2);
  return port1;
}

async function reachSocket(server: AnyServer): Promise<Target> {
  return socketTransport({ path: await serveUnixSocket(server) });
}

async function reachWebSocket(server: AnyServer): Promise<Target> {
  return websocketTransport(await serveWebSocket(server), { WebSocket });
}

/** Serves each server value once in a file, however often it is asked for. */
function once<T>(serve: (server: AnyServer) => T): (server: AnyServer) => T {
  const served = new Map<AnyServer, T>();
  return (server) => {
    if (served.size === 0) onFileFinished(() => served.clear());
    const found = served.get(server) ?? serve(server);
    served.set(server, found);
    return found;
  };
}
