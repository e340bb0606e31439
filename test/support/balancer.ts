import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Picks the node for a request, by its place in the list. */
export type PickNode = (request: IncomingMessage, nodes: readonly string[]) => number;

export interface BalancerOptions {
  /** Default: at random, for each request anew. */
  readonly pick?: PickNode;
}

/** A proxy in front of several nodes, which knows nothing of sessions. */
export interface Balancer {
  readonly origin: string;
  /** The endpoint, by way of the balancer. */
  readonly url: string;
  /** The origins that requests are sent to. May be changed at any time. */
  readonly nodes: string[];
  /** The origins that requests were sent to so far, in their order. */
  readonly picked: readonly string[];
  /** Breaks all connections of clients; new ones work. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * Starts a balancer over the origins of nodes. It streams both ways, keeps no connection, and tries the next
 * node only where one refuses the connection: anything else might send a request twice.
 */
export async function startBalancer(
  origins: readonly string[],
  { pick = pickAtRandom }: BalancerOptions = {},
): Promise<Balancer> {
  const nodes = [...origins];
  const picked: string[] = [];
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const http = createServer((incoming, outgoing) => {
    const first = pick(incoming, nodes);
    const order = [...nodes.slice(first), ...nodes.slice(0, first)];
    forward(incoming, outgoing, { order, agent, picked });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/mcp`,
    nodes,
    picked,
    cut: () => http.closeAllConnections(),
    close: async () => {
      agent.destroy();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Starts a balancer that is closed when the test is over. */
export async function openBalancer(origins: readonly string[], options?: BalancerOptions): Promise<Balancer> {
  const balancer = await startBalancer(origins, options);
  onTestFinished(() => balancer.close());
  return balancer;
}

/** Picks one node after the other. */
export function pickInTurn(): PickNode {
  let next = 0;
  return (_, nodes) => next++ % nodes.length;
}

function pickAtRandom(_: IncomingMessage, nodes: readonly string[]): number {
  return Math.floor(Math.random() * nodes.length);
}

interface Way {
  readonly order: readonly string[];
  readonly agent: Agent;
  readonly picked: string[];
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, { order, agent, picked }: Way): void {
  const [origin, ...others] = order;
  if (origin === undefined) return void outgoing.writeHead(502).end();
  const { method, headers, url } = incoming;
  const passed = request(new URL(url ?? "/", origin), { method, agent, headers: { ...headers } });
  let isSent = false;
  passed.once("socket", (socket) => {
    socket.once("connect", () => {
      isSent = true;
      picked.push(origin);
      incoming.pipe(passed);
    });
  });
  passed.once("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    // A node that dies in the middle of an answer must not look like one that has finished.
    answer.once("aborted", () => outgoing.destroy());
  });
  passed.once("error", () => {
    if (!isSent) forward(incoming, outgoing, { order: others, agent, picked });
    else if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  outgoing.once("close", () => passed.destroy());
}
