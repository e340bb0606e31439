import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../free-port.ts";
import { Balancer } from "./balancer.ts";
import { NodeProcess } from "./node-process.ts";
import { type StoreName, startStore } from "./stores/start-store.ts";
import type { StoreProcess } from "./stores/store-process.ts";
import { TcpProxy } from "./stores/tcp-proxy.ts";

export const backends = ["redis", "postgres", "nats", "sqlite"] as const;
export type Backend = (typeof backends)[number];

export interface ClusterOptions {
  readonly backend: Backend | "memory";
  /** The folder for the data of the store and the histories of nodes. */
  readonly folder: string;
  readonly random: () => number;
  readonly nodes?: number;
}

const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/build\/$/, "");
const program = join(root, "build/test/chaos/node.js");
/** The Node.js that has SQLite, installed with the official conformance suite. */
export const node22: string = join(root, "test/conformance/suite/node_modules/.bin/node");

/** Nodes in processes of their own behind a balancer, with a store of their own that each reaches through a proxy. */
export class ChaosCluster {
  readonly nodes: readonly NodeProcess[];
  readonly balancer: Balancer;
  /** The store; undefined where it is a file. */
  readonly store: StoreProcess | undefined;
  /** The way of each node to the store. */
  readonly ways: readonly TcpProxy[];
  /** The files that nodes write their histories to. */
  readonly histories: readonly string[];

  private constructor(
    nodes: readonly NodeProcess[],
    balancer: Balancer,
    store: StoreProcess | undefined,
    ways: readonly TcpProxy[],
    histories: readonly string[],
  ) {
    this.nodes = nodes;
    this.balancer = balancer;
    this.store = store;
    this.ways = ways;
    this.histories = histories;
  }

  static async start({ backend, folder, random, nodes: count = 3 }: ClusterOptions): Promise<ChaosCluster> {
    mkdirSync(folder, { recursive: true });
    const store = isStoreName(backend) ? await startStore(backend, folder) : undefined;
    const ways: TcpProxy[] = [];
    const nodes: NodeProcess[] = [];
    const histories: string[] = [];
    for (let index = 0; index < count; index++) {
      const name = `node-${index}`;
      const history = join(folder, `${name}.jsonl`);
      histories.push(history);
      const way = store && new TcpProxy(store.port);
      await way?.open();
      if (way) ways.push(way);
      const state = store && way ? withPort(store.url, way.port) : toUrl(backend, folder);
      const runtime = backend === "sqlite" ? node22 : process.execPath;
      nodes.push(new NodeProcess({ name, port: await findFreePort(), state, history, program, runtime }));
    }
    await Promise.all(nodes.map((node) => node.start()));
    const balancer = new Balancer(
      nodes.map(({ port }) => port),
      random,
    );
    await balancer.open();
    return new ChaosCluster(nodes, balancer, store, ways, histories);
  }

  async close(): Promise<void> {
    await this.balancer.close();
    await Promise.all(this.nodes.map((node) => node.kill()));
    await Promise.all(this.ways.map((way) => way.close()));
    await this.store?.kill();
  }
}

function isStoreName(backend: ClusterOptions["backend"]): backend is StoreName {
  return backend === "redis" || backend === "postgres" || backend === "nats";
}

function toUrl(backend: ClusterOptions["backend"], folder: string): string {
  return backend === "sqlite" ? `sqlite:${join(folder, "state.db")}` : "memory:";
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = `${port}`;
  return changed.href;
}
