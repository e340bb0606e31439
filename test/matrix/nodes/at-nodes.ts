import type { RevisionName, Server } from "allspeak";
import type { ConnectOptions } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, beforeEach, describe, inject } from "vitest";
import { type Balancer, startBalancer } from "../../support/balancer.ts";
import { createPlace, type Place, revisionNames } from "../place.ts";
import { findException } from "./exceptions.ts";
import type { StoreName } from "./stores.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The stores that the nodes of the matrix share; absent where it has no nodes but those of memory. */
    readonly stores?: readonly StoreName[];
  }
}

const named = inject("stores");

/** Whether this project runs the cases at three nodes over each of some stores. */
export const isAtNodes: boolean = named !== undefined;

/** Loaded on demand: it looks for each store. */
const { stores } = named ? await import("./stores.ts") : { stores: undefined };

export type NodesTransport = "three nodes" | "three nodes with sse";

interface AtNodes {
  readonly load: () => Promise<Server<unknown>>;
  readonly connect?: ConnectOptions | undefined;
}

/** Defines the same cases for each store and each revision, behind a balancer that picks a node at random for each request. */
export function describeAtNodes(
  name: string,
  define: (place: Place<NodesTransport>) => void,
  { load, connect }: AtNodes,
): void {
  for (const store of named ?? []) {
    describe.skipIf(!stores?.[store].isThere)(name, () => {
      const balancer = useNodes(store, load);
      for (const revision of revisionNames) {
        const transport = transportOf(revision);
        const place = `${revision} over ${transport} and ${store}`;
        const reach = () => `${balancer().origin}${transport === "three nodes" ? "/mcp" : "/sse"}`;
        describe(place, () => {
          leaveOutExceptions(name);
          define(createPlace({ name: place, revision, transport, reach, connect }));
        });
      }
    });
  }
}

/** HTTP+SSE is the transport of the oldest revision. */
function transportOf(revision: RevisionName): NodesTransport {
  return revision === "2024-11-05" ? "three nodes with sse" : "three nodes";
}

function leaveOutExceptions(suite: string): void {
  beforeEach((context) => {
    const reason = findException(suite, context.task.name);
    if (reason === undefined) return;
    // Reports tell it from a test that lacks what it needs.
    Object.assign(context.task.meta, { excepted: reason });
    context.skip(reason);
  });
}

/** Three nodes that share a state in a store, and serve while the cases run. */
function useNodes(store: StoreName, load: AtNodes["load"]): () => Balancer {
  const closers: (() => Promise<void> | void)[] = [];
  let balancer: Balancer;
  beforeAll(async () => {
    const state = await stores?.[store].open((clean) => closers.unshift(clean));
    if (state === undefined) throw new Error(`There is no store ${store}.`);
    closers.unshift(() => state.close());
    const server = await load();
    // One server value publishes its changes once to each state, so the nodes have one.
    const nodes = await Promise.all([1, 2, 3].map(() => serveHttp(server, { state })));
    for (const node of nodes) closers.unshift(() => node.close(0));
    balancer = await startBalancer(nodes.map(({ url }) => new URL(url).origin));
    closers.unshift(() => balancer.close());
  });
  afterAll(async () => {
    for (const close of closers.splice(0)) await close();
  });
  return () => balancer;
}
