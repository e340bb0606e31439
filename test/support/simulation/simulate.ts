import { connect } from "allspeak/client";
import { memoryState } from "allspeak/http";
import { serviceOf } from "../../../src/contract/service.ts";
import { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { HttpEndpoint } from "../../../src/transports/http/server/endpoint.ts";
import { createChaosServer } from "../chaos/chaos-server.ts";
import { checkHistory, type Verdict } from "../chaos/check-history.ts";
import { checkStreams } from "../chaos/check-streams.ts";
import type { HistoryEntry, HistoryEvent, Limits } from "../chaos/history.ts";
import { type LoadClientOptions, LoadRun, type Workload } from "../chaos/workload.ts";
import { type FaultPlan, injectFaults } from "./fault-plan.ts";
import { SimulatedNetwork, type SimulatedNode } from "./simulated-network.ts";
import { SimulatedStore } from "./simulated-store.ts";
import { currentHost, Host, VirtualClock } from "./virtual-clock.ts";

export interface SimulationOptions {
  readonly nodes?: number;
  /** Differences from the usual load: three listeners and three callers of all revisions. */
  readonly load?: Partial<Pick<Workload, "revisions" | "listeners" | "events" | "callers" | "calls">>;
  readonly plan: (random: SeededRandom) => FaultPlan;
}

export interface SimulationResult extends Verdict {
  readonly entries: readonly HistoryEntry[];
  readonly steps: number;
  readonly operations: number;
  readonly virtualMs: number;
}

const limits: Limits = { callMs: 90_000, attempts: 4 };
const longestMs = 300_000;
const url = "http://localhost/mcp";

/** Runs nodes, clients and a store in a world of their own, in which all that may vary follows from the seed. */
export async function simulate(seed: number, options: SimulationOptions): Promise<SimulationResult> {
  const random = new SeededRandom(seed);
  const clock = new VirtualClock();
  const restore = [clock.install(), installRandom(random)];
  try {
    return await currentHost.run(clock.outside, () => new World(seed, clock, random, options).run());
  } finally {
    for (const undo of restore) undo();
  }
}

class World {
  readonly #seed: number;
  readonly #clock: VirtualClock;
  readonly #random: SeededRandom;
  readonly #options: SimulationOptions;
  readonly #plan: FaultPlan;
  readonly #entries: HistoryEntry[] = [];
  readonly #store: SimulatedStore;
  readonly #network: SimulatedNetwork;
  #started = 0;

  constructor(seed: number, clock: VirtualClock, random: SeededRandom, options: SimulationOptions) {
    this.#seed = seed;
    this.#clock = clock;
    this.#random = random;
    this.#options = options;
    this.#plan = options.plan(random);
    this.#store = new SimulatedStore(memoryState(), clock, random, this.#plan.store);
    this.#network = new SimulatedNetwork(clock, random, this.#plan.network);
  }

  async run(): Promise<SimulationResult> {
    this.#record("world", {
      kind: "run",
      title: this.#plan.title,
      backend: "simulated",
      seed: this.#seed,
      limits,
    });
    const { nodes = 3 } = this.#options;
    this.#network.nodes = Array.from({ length: nodes }, () => this.#startNode());
    let isOver = false;
    const working = this.#work().finally(() => {
      isOver = true;
    });
    working.catch(() => {});
    while (!isOver && this.#clock.now < longestMs) await this.#clock.runUntil(this.#clock.now + 1_000);
    if (isOver) await working;
    for (const { host } of this.#network.nodes) host.kill();
    return {
      ...checkHistory(this.#entries),
      entries: this.#entries,
      steps: this.#clock.steps,
      operations: this.#store.operations,
      virtualMs: this.#clock.now,
    };
  }

  async #work(): Promise<void> {
    const load = new LoadRun({
      prefix: "",
      record: (event) => this.#record("load", event),
      connect: (client) => this.#connect(client),
      revisions: ["2025-11-25", "2025-06-18", "2026-07-28"],
      listeners: 3,
      events: 4,
      everyMs: 1_000,
      callers: 3,
      ...this.#options.load,
      random: () => this.#random.next(),
      // Sealing works on other threads, which are not simulated.
      canCall: (name, revision) => name !== "ask" || revision !== "2026-07-28",
      missing: () => checkStreams(this.#entries, limits).filter(({ rule }) => rule === "lost").length,
    });
    await load.open();
    injectFaults(this.#plan, this.#clock, {
      store: this.#store,
      network: this.#network,
      startNode: () => this.#startNode(),
      record: (event) => this.#record("faults", event),
    });
    await load.run();
    await load.close();
  }

  #startNode(): SimulatedNode {
    const host = new Host(`node-${++this.#started}`);
    const endpoint = currentHost.run(host, () => {
      const server = createChaosServer({ record: (event) => this.#record(host.name, event) });
      const service = serviceOf("simulate", server);
      return new HttpEndpoint(service, {
        state: this.#store.stateFor(host),
        limits: false,
        identify: (request) => {
          const subject = request.header("x-user");
          return subject === undefined ? undefined : { issuer: "https://users.example", subject };
        },
      });
    });
    return { host, endpoint };
  }

  #connect({ principal, revision, onLog, onReconnected }: LoadClientOptions): ReturnType<typeof connect> {
    return connect(url, {
      fetch: this.#network.fetch as typeof fetch,
      headers: { "x-user": principal },
      revisions: [revision],
      tasks: true,
      timeout: { total: 60_000, idle: 60_000 },
      elicit: ({ message }) => ({
        action: "accept",
        content: { id: /call is (.+)\?/.exec(message)?.[1] ?? "", principal },
      }),
      onLog: ({ data }) => onLog(data),
      onReconnected,
      onProblem: () => {},
    });
  }

  #record(by: string, event: HistoryEvent): void {
    this.#entries.push({ ...event, at: this.#clock.now + this.#entries.length * 1e-6, by });
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
