import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import type { State } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openBalancer, pickInTurn } from "../../support/balancer.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory } from "../../support/shared-state.ts";

const secrets = [randomBytes(32).toString("base64")];

/** Three nodes with server values of their own, one after the other for each request. */
async function openSite() {
  const state = sharedMemory();
  const begun = new Queue<AbortSignal>();
  const asked = new Queue<string>();
  const nodes = await Promise.all([1, 2, 3].map(() => openNode(state, begun, asked)));
  const balancer = await openBalancer(
    nodes.map(({ url }) => new URL(url).origin),
    { pick: pickInTurn() },
  );
  return { url: balancer.url, nodes, balancer, begun, asked };
}

async function openNode(state: State, begun: Queue<AbortSignal>, asked: Queue<string>) {
  const dig = tool("dig", { task: "required", pollIntervalMs: 20 }, async (_, ctx) => {
    await ctx.progress(1, 2, "half");
    const { content } = await ctx.elicit("depth", "How deep?", z.object({ metres: z.number() }));
    return `${content?.metres} metres`;
  });
  const wait = tool("wait", { task: "required", pollIntervalMs: 20 }, async (_, { signal }) => {
    begun.push(signal);
    return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
  });
  const book = tool("book", {}, async (_, ctx) => {
    const first = await ctx.elicit("seats", "How many?", z.object({ seats: z.number() }));
    const second = await ctx.elicit("name", "For whom?", z.object({ name: z.string() }));
    return `${first.content?.seats} for ${second.content?.name}`;
  });
  const server = createServer({
    name: "site",
    version: "1",
    secrets,
    tools: [dig, wait, book],
    log: () => {},
  });
  server.use((call, next) => {
    if (call.method.startsWith("tasks/")) asked.push(call.method);
    return next();
  });
  const running = await serveHttp(server, { state });
  onTestFinished(() => running.close(0));
  return running;
}

const answers = { "How deep?": { metres: 7 }, "How many?": { seats: 2 }, "For whom?": { name: "Ada" } };

async function open(url: string, revision: "2025-11-25" | "2026-07-28") {
  const client = await connect(url, {
    revisions: [revision],
    tasks: true,
    elicit: ({ message }) => ({ action: "accept", content: answers[message as keyof typeof answers] }),
  });
  onTestFinished(() => client.close());
  // A client of 2025-11-25 learns from the list which tools are called as tasks.
  for await (const _ of client.tools.list());
  return client;
}

describe.each(["2025-11-25", "2026-07-28"] as const)("at nodes that share a state, in %s", (revision) => {
  it("a task runs at any node, asks, reports progress and is answered through any other", async () => {
    const { url } = await openSite();
    const client = await open(url, revision);
    const told: unknown[] = [];
    const result = await client.tools.call(
      "dig",
      {},
      {
        onProgress: ({ message }) => told.push(message),
        onTask: ({ statusMessage }) => told.push(statusMessage),
      },
    );
    expect(result.content).toMatchObject([{ text: "7 metres" }]);
    expect(told).toContain("half");
  });

  it("a caller gets the result of its task, though the node that it waits at closes", async () => {
    const { url, nodes, balancer, begun, asked } = await openSite();
    const [first, ...others] = nodes;
    balancer.nodes.splice(1);
    const client = await open(url, revision);
    const calling = client.tools.call("wait", {});
    const signal = await begun.next();
    await asked.next();
    balancer.nodes.splice(0, 1, ...others.map(({ url: other }) => new URL(other).origin));
    await first?.close(5_000);
    // The task goes on: only its caller has lost the node.
    signal.dispatchEvent(new Event("abort"));
    expect((await calling).content).toMatchObject([{ text: "stopped" }]);
  });

  it("a task is cancelled through any node", async () => {
    const { url, begun } = await openSite();
    const client = await open(url, revision);
    const ids: string[] = [];
    const calling = client.tools.call("wait", {}, { onTask: (task) => ids.push(task.taskId) });
    const outcome = calling.then(
      () => "answered",
      () => "failed",
    );
    const signal = await begun.next();
    await client.tasks.cancel(ids[0] ?? "");
    expect(await outcome).toBe("failed");
    if (!signal.aborted) await once(signal, "abort");
  });

  it("a call that asks twice goes on at other nodes with the secrets of all", async () => {
    const { url } = await openSite();
    const client = await open(url, revision);
    expect((await client.tools.call("book")).content).toMatchObject([{ text: "2 for Ada" }]);
  });
});
