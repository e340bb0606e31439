import { createServer, type Principal, type RpcError, tool } from "allspeak";
import { type Client, type ConnectOptions, connect, type Timeout } from "allspeak/client";
import { type HttpRequest, memoryState } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { failure } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;

/** Who calls, taken at its word: what stands in a header of the test. */
function identify(request: HttpRequest): Principal | undefined {
  const subject = request.header("x-user");
  return subject === undefined ? undefined : { issuer: "test", subject };
}

const work = tool("work", { task: "required", pollIntervalMs: 50 }, async (_, ctx) => {
  const answer = await ctx.elicit("secret", "What is the secret?", z.object({ secret: z.string() }));
  return `the secret is ${answer.content?.secret}`;
});
const wait = tool("wait", { task: "required", pollIntervalMs: 50 }, async (_, ctx) => {
  await new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", reject));
});

async function open(options: { maxPerOwner?: number; maxTasks?: number } = {}) {
  const { maxPerOwner, maxTasks } = options;
  const server = createServer({
    name: "shared",
    version: "1.0.0",
    tools: [work, wait],
    tasks: { maxPerOwner },
    log: () => {},
  });
  const state = memoryState(maxTasks === undefined ? {} : { maxTasks });
  const running = await serveHttp(server, { identify, state });
  onTestFinished(() => running.close(0));
  const as = async (user: string | undefined, more: ConnectOptions = {}): Promise<Client> => {
    const client = await connect(running.url, {
      tasks: true,
      ...(user !== undefined && { headers: { "x-user": user } }),
      onProblem: () => {},
      ...more,
    });
    onTestFinished(() => client.close());
    return client;
  };
  return { as };
}

/** Begins a task that nobody looks after, and gives its id. */
async function begin(client: Client, name: string, timeout?: Timeout): Promise<string> {
  const answer = await client.request("tools/call", { name, task: {} }, { rounds: "manual", timeout });
  const { taskId } = (answer.task ?? answer) as { taskId: string };
  return taskId;
}

describe.each(revisions)("tasks of %s", (revision) => {
  it("are to another caller as if they were not", async () => {
    const { as } = await open();
    type Answer = (said: { action: "accept"; content: { secret: string } }) => void;
    const asked = new Queue<Answer>();
    let told: Promise<unknown> = Promise.resolve();
    const alice = await as("alice", {
      revisions: [revision],
      elicit: () => new Promise((resolve) => asked.push(resolve)),
    });
    const id = await new Promise<string>((resolve) => {
      told = alice.tools.call("work", {}, { task: true, onTask: ({ taskId }) => resolve(taskId) });
    });
    for (const user of ["bob", undefined]) {
      const other = await as(user, { revisions: [revision] });
      const of = async (taskId: string) => {
        const params = revision === "2026-07-28" ? { taskId, inputResponses: {} } : { taskId };
        const methods =
          revision === "2026-07-28"
            ? ["tasks/get", "tasks/update", "tasks/cancel"]
            : ["tasks/get", "tasks/result", "tasks/cancel"];
        return Promise.all(
          methods.map(async (method) => toSeen(await failure(other.request(method, params)))),
        );
      };
      const seen = await of(id);
      expect(seen).toEqual(await of("0".repeat(40)));
      for (const { wireCode } of seen) expect(wireCode).toBe(-32602);
      if (revision === "2025-11-25") {
        const listed = await other.tasks
          .list()
          .all()
          .catch((error: RpcError) => error.wireCode);
        expect(listed).toEqual(user === undefined ? -32601 : []);
      } else {
        const subscription = await other.subscribe({ tasks: [id] });
        expect(subscription.agreed).toEqual({ tasks: [] });
        await subscription.close();
      }
    }
    const answer = await asked.next();
    answer({ action: "accept", content: { secret: "hers" } });
    expect(await told).toMatchObject({ content: [{ text: "the secret is hers" }] });
  });

  it("are as many as one caller may have, and no fewer for others", async () => {
    const { as } = await open({ maxPerOwner: 5 });
    const alice = await as("alice", { revisions: [revision] });
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.push(await begin(alice, "wait"));
    const refused = await Promise.allSettled(Array.from({ length: 50 }, () => begin(alice, "wait")));
    for (const outcome of refused) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { wireCode: -32603 } });
    }
    const bob = await as("bob", { revisions: [revision] });
    await begin(bob, "wait");
    await alice.tasks.cancel(ids[0] ?? "");
    await begin(alice, "wait");
  });

  it("have ids that nobody can guess", async () => {
    const { as } = await open();
    const alice = await as("alice", { revisions: [revision] });
    const ids = await Promise.all(Array.from({ length: 200 }, () => begin(alice, "wait")));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{40}$/);
    // Of 200 times 160 fair coins, fewer than 15,500 or more than 16,500 heads are six in a billion.
    const ones = ids.flatMap((id) => [...id].map((digit) => popCount(Number.parseInt(digit, 16))));
    const heads = ones.reduce((sum, count) => sum + count, 0);
    expect(heads).toBeGreaterThan(15_500);
    expect(heads).toBeLessThan(16_500);
  });

  it("are refused, and the server goes on, when there is no more room for them", async () => {
    const { as } = await open({ maxTasks: 3 });
    const alice = await as("alice", { revisions: [revision] });
    for (let at = 0; at < 3; at++) await begin(alice, "wait");
    // The server asks for patience, and this caller has none.
    expect(await failure(begin(alice, "wait", { total: 500 }))).toMatchObject({ code: "rpc" });
    expect(await alice.tools.list().all()).toHaveLength(2);
  });
});

/** What a caller learns from a refusal. */
function toSeen(error: Error & { readonly wireCode?: number; readonly data?: unknown }) {
  return { wireCode: error.wireCode, message: error.message, data: error.data };
}

function popCount(value: number): number {
  return value.toString(2).replaceAll("0", "").length;
}
