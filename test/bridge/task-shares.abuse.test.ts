// The tasks that a bridge keeps for its callers: how many, how large, and whose.
import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { type Client, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { OwnedEntries } from "../../src/client/forward/owned-entries.ts";
import { toOwner } from "../../src/contract/caller/principal.ts";

async function serve() {
  const server = createServer({ name: "working", version: "1" });
  server.tool(
    "zeros",
    { task: "required", pollIntervalMs: 50, input: z.object({ bytes: z.number() }) },
    ({ bytes }) => "0".repeat(bytes),
  );
  const bridge = await openBridge(server);
  const running = await serveHttp(bridge.server, {
    limits: { rules: [] },
    identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
  });
  onTestFinished(async () => {
    await running.close(0);
    await bridge.close();
  });
  return async (user: string) => {
    const client = await connect(running.url, { headers: { "x-user": user }, tasks: true });
    onTestFinished(() => client.close());
    return client;
  };
}

/** Runs a task to its end; returns its id. */
async function run(client: Client, bytes: number): Promise<string> {
  let taskId = "";
  const onTask = (task: { taskId: string }) => {
    taskId = task.taskId;
  };
  await client.tools.call("zeros", { bytes }, { onTask });
  return taskId;
}

it("the results of ended tasks are kept within a budget of bytes, and the largest holder pays", {
  timeout: 60_000,
}, async () => {
  const open = await serve();
  const [ann, bob] = [await open("ann"), await open("bob")];
  const kept = await run(bob, 1_000_000);
  const ids: string[] = [];
  for (let count = 0; count < 24; count++) ids.push(await run(ann, 3_000_000));
  const found = await Promise.allSettled(ids.map((id) => ann.tasks.cancel(id)));
  const gone = found.filter(({ status }) => status === "rejected");
  expect(gone.length).toBeGreaterThan(1);
  expect(gone.length).toBeLessThan(8);
  expect(await bob.tasks.get(kept)).toMatchObject({ status: "completed" });
});

it("a result that was read makes room before one that was not", { timeout: 60_000 }, async () => {
  const open = await serve();
  const ann = await open("ann");
  const bytes = 15_000_000;
  const start = async () => {
    const call = { name: "zeros", arguments: { bytes } };
    const { taskId } = await ann.request("tools/call", call, { rounds: "manual" });
    return String(taskId);
  };
  const unread = await start();
  for (let count = 0; count < 5; count++) await run(ann, bytes);
  expect(await ann.tasks.get(unread)).toMatchObject({ status: "completed" });
});

describe("entries that have ended", () => {
  const caller = (subject: string) => ({ principal: { issuer: "test", subject }, address: undefined });

  it("make room for others of their owner, the oldest first, and for those of other owners", () => {
    const entries = new OwnedEntries<number>(4, () => {}, { count: 3, bytes: 100 });
    const add = (subject: string, value: number) => entries.add(caller(subject), value, 60_000) ?? "";
    const bobs = add("bob", 0);
    entries.end(bobs, 1);
    for (let value = 1; value <= 20; value++) {
      const id = add("ann", value);
      expect(id).not.toBe("");
      entries.end(id, 1);
    }
    const valuesOf = (subject: string) =>
      entries.of(toOwner(caller(subject).principal)).map(([, value]) => value);
    expect(valuesOf("ann")).toEqual([19, 20]);
    expect(valuesOf("bob")).toEqual([0]);
    const large = add("ann", 21);
    entries.end(large, 99);
    expect(valuesOf("ann")).toEqual([21]);
    entries.end(add("ann", 22), 101);
    expect(valuesOf("ann")).toEqual([]);
    expect(valuesOf("bob")).toEqual([0]);
    entries.clear();
  });
});
