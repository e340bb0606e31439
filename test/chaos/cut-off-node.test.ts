import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pause } from "../support/chaos/pause.ts";
import { loadSimulation } from "../support/simulation/load-simulation.ts";
import type { SimulatedCluster } from "../support/simulation/simulated-cluster.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { inSimulation, createServer, tool } = await loadSimulation(root);

const revision = "2025-11-25";

/** Runs two nodes; all requests go to the first one, until the test says otherwise. */
function withNodes<T>(run: (world: CutOffWorld) => Promise<T>): Promise<T> {
  const aborted: number[] = [];
  const createOne = () =>
    createServer({
      name: "cut-off",
      version: "1",
      log: () => {},
      tools: [
        tool("echo", {}, () => "here"),
        tool("hold", {}, async (_, ctx) => {
          await ctx.log("info", "begun");
          await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
          aborted.push(performance.now());
          return "too late";
        }),
        tool("stubborn", {}, async (_, ctx) => {
          await ctx.log("info", "begun");
          await pause(40_000);
          return "too late";
        }),
        tool("count", {}, async (_, ctx) => {
          for (let n = 1; n <= 10; n++) {
            await ctx.log("info", n);
            await pause(3_000);
          }
          return "counted";
        }),
        tool("ask", {}, async (_, ctx) => {
          const { action } = await ctx.elicit("sure", "Are you sure?", z.object({ sure: z.boolean() }));
          return action;
        }),
      ],
    });
  return inSimulation(
    1,
    () => ({ nodes: 2, createServer: createOne }),
    async (cluster) => {
      const world = new CutOffWorld(cluster, aborted);
      world.useNode(0);
      return run(world);
    },
  );
}

class CutOffWorld {
  readonly cluster: SimulatedCluster;
  /** The times at which the handler of "hold" was told to stop. */
  readonly aborted: readonly number[];
  readonly logged: unknown[] = [];
  readonly problems: unknown[] = [];

  constructor(cluster: SimulatedCluster, aborted: readonly number[]) {
    this.cluster = cluster;
    this.aborted = aborted;
  }

  get now(): number {
    return this.cluster.clock.now;
  }

  /** Sends all requests to one node from now on. */
  useNode(index: number): void {
    this.cluster.network.target = this.#host(index);
  }

  cutOff(): void {
    this.cluster.store.partition(this.#host(0), true);
  }

  letBack(): void {
    this.cluster.store.partition(this.#host(0), false);
  }

  /** Breaks the connections of clients to the first node; they come back to the second one. */
  moveClients(): void {
    this.useNode(1);
    this.cluster.network.drop(this.#host(0));
  }

  connect(onQuestion: () => Promise<void> = async () => {}) {
    return this.cluster.connect({
      revisions: [revision],
      timeout: { total: 200_000, idle: 200_000 },
      onLog: ({ data }) => this.logged.push(data),
      onProblem: (problem) => this.problems.push(problem),
      elicit: async () => {
        await onQuestion();
        return { action: "accept", content: { sure: true } };
      },
    });
  }

  #host(index: number) {
    const node = this.cluster.network.nodes[index];
    if (node === undefined) throw new Error("There is no such node.");
    return node.host;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(10);
}

const outcome = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: Error) => error.message,
  );

describe("a node that is cut off the store alone, for longer than the others wait", () => {
  it("stops the calls that another node has answered once it is back, and serves on", async () => {
    await withNodes(async (world) => {
      const client = await world.connect();
      const call = outcome(client.tools.call("hold"));
      await until(() => world.logged.length === 1);
      world.cutOff();
      world.moveClients();
      expect(await call).toMatch(/gone/);
      expect(world.aborted).toEqual([]);
      world.letBack();
      const backAt = world.now;
      await until(() => world.aborted.length === 1);
      expect(world.now - backAt).toBeLessThan(5_000);
      world.useNode(0);
      expect(await client.tools.call("echo")).toMatchObject({ content: [{ text: "here" }] });
      expect(world.logged).toEqual(["begun"]);
      expect(world.problems).toEqual([]);
    });
  });

  it("sends no answer after the one that another node has given in its place, wherever the client reads", async () => {
    await withNodes(async (world) => {
      const session = await openRaw(world);
      const call = await session.post(2, "stubborn");
      const reader = call.body?.getReader();
      const begun = new TextDecoder().decode((await reader?.read())?.value);
      const [, first = ""] = /id: (\S+)/.exec(begun) ?? [];
      await pause(500);
      world.cutOff();
      world.moveClients();
      expect(toMessages(await (await session.get(first)).text())).toMatchObject([
        { params: { data: "begun" } },
        { id: 2, error: { message: expect.stringContaining("gone") } },
      ]);
      world.letBack();
      await pause(60_000);
      for (const node of [0, 1]) {
        world.useNode(node);
        const events = await (await session.get(first)).text();
        expect(toMessages(events)).toHaveLength(2);
        const last = [...events.matchAll(/id: (\S+)/g)].at(-1)?.[1] ?? "";
        expect((await session.get(last)).status).toBe(204);
      }
    });
  });

  it("goes on with the calls of clients that stayed, which miss nothing", async () => {
    await withNodes(async (world) => {
      const client = await world.connect();
      const call = client.tools.call("count");
      await until(() => world.logged.length === 1);
      world.cutOff();
      await pause(20_000);
      world.letBack();
      expect(await call).toMatchObject({ content: [{ text: "counted" }] });
      expect(world.logged).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(world.problems).toEqual([]);
    });
  });

  it("gets the answer to its question that came to another node meanwhile", async () => {
    await withNodes(async (world) => {
      const client = await world.connect(async () => {
        world.cutOff();
        world.useNode(1);
      });
      const call = client.tools.call("ask");
      await pause(90_000);
      world.letBack();
      expect(await call).toMatchObject({ content: [{ text: "accept" }] });
    });
  });
});

/** A session whose requests are sent by hand. */
async function openRaw({ cluster }: CutOffWorld) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
  };
  const toBody = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const clientInfo = { name: "raw", version: "1" };
  const body = toBody(1, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo });
  const opened = await cluster.request({ method: "POST", headers, body });
  const inSession = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  return {
    post: (id: number, name: string) =>
      cluster.request({
        method: "POST",
        headers: inSession,
        body: toBody(id, "tools/call", { name, arguments: {} }),
      }),
    get: (lastEventId: string) =>
      cluster.request({ method: "GET", headers: { ...inSession, "last-event-id": lastEventId } }),
  };
}

function toMessages(events: string): readonly unknown[] {
  return [...events.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data) as unknown);
}
