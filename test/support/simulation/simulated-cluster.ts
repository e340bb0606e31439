import { type ConnectOptions, connect } from "allspeak/client";
import { memoryState } from "allspeak/http";
import { type Servable, serviceOf } from "../../../src/contract/service.ts";
import { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { HttpEndpoint } from "../../../src/transports/http/server/endpoint.ts";
import { type NetworkFaults, SimulatedNetwork, type SimulatedNode } from "./simulated-network.ts";
import { calmStore, SimulatedStore, type StoreFaults } from "./simulated-store.ts";
import { Host, runAs, VirtualClock } from "./virtual-clock.ts";

export interface ClusterParts {
  readonly nodes: number;
  /** Makes the server of one node. */
  readonly createServer: (node: string) => Servable;
  readonly store?: StoreFaults;
  readonly network?: NetworkFaults;
}

type ClusterOptions = (random: SeededRandom) => ClusterParts;

const longestMs = 300_000;
const url = "http://localhost/mcp";

/** Nodes, clients and a store in a world of their own, in which all that may vary follows from a seed. */
export class SimulatedCluster {
  readonly clock: VirtualClock;
  readonly store: SimulatedStore;
  readonly network: SimulatedNetwork;
  readonly #createServer: ClusterParts["createServer"];
  #started = 0;

  constructor(clock: VirtualClock, random: SeededRandom, parts: ClusterParts) {
    const { nodes, createServer, store = calmStore, network = { latencyMs: 5, cuts: 0 } } = parts;
    this.clock = clock;
    this.store = new SimulatedStore(memoryState(), clock, random, store);
    this.network = new SimulatedNetwork(clock, random, network);
    this.#createServer = createServer;
    this.network.nodes = Array.from({ length: nodes }, () => this.startNode());
  }

  startNode(): SimulatedNode {
    const host = new Host(`node-${++this.#started}`);
    const endpoint = runAs(
      host,
      () =>
        new HttpEndpoint(serviceOf("simulate", this.#createServer(host.name)), {
          state: this.store.stateFor(host),
          limits: false,
          identify: (request) => {
            const subject = request.header("x-user");
            return subject === undefined ? undefined : { issuer: "https://users.example", subject };
          },
        }),
    );
    return { host, endpoint };
  }

  /** Connects a client to the nodes, by way of the network. */
  connect(options: ConnectOptions): ReturnType<typeof connect> {
    return connect(url, { fetch: this.network.fetch as typeof fetch, ...options });
  }

  /** Sends a request to any node that the network picks. */
  request(init: RequestInit): Promise<Response> {
    return this.network.fetch(url, init);
  }
}

/** Runs something in a world of its own until it is done, at most for minutes of its time. */
export async function inSimulation<T>(
  seed: number,
  toParts: ClusterOptions,
  run: (cluster: SimulatedCluster, random: SeededRandom) => Promise<T>,
): Promise<T> {
  const random = new SeededRandom(seed);
  const clock = new VirtualClock();
  const restore = [clock.install(), installRandom(random), withoutStacks()];
  try {
    const cluster = new SimulatedCluster(clock, random, toParts(random));
    let isOver = false;
    const working = run(cluster, random).finally(() => {
      isOver = true;
    });
    // Awaited below; until then a failure must not end the process.
    working.catch(() => {});
    while (!isOver) {
      if (clock.now >= longestMs) throw new Error(`Seed ${seed} is not done after ${longestMs} ms.`);
      await clock.runUntil(clock.now + 100);
    }
    for (const { host } of cluster.network.nodes) host.kill();
    return await working;
  } finally {
    for (const undo of restore) undo();
  }
}

/** Makes everything random follow from the seed; returns the function that ends that. */
function installRandom(random: SeededRandom): () => void {
  const { random: mathRandom } = Math;
  const { getRandomValues, randomUUID } = crypto;
  Math.random = () => random.next();
  crypto.getRandomValues = <T extends ArrayBufferView | null>(array: T): T => {
    if (array) random.fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return array;
  };
  crypto.randomUUID = () => `${random.between(0, 2 ** 31)}-${random.between(0, 2 ** 31)}-0-0-0`;
  return () => {
    Math.random = mathRandom;
    Object.assign(crypto, { getRandomValues, randomUUID });
  };
}

/** Makes errors without stacks, which nobody reads and which take long; returns the function that ends that. */
function withoutStacks(): () => void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}
