import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

const revisions = ["2025-11-25", "2026-07-28"] as const;
type RevisionName = (typeof revisions)[number];

/** A server whose calls run as tasks, and wait until they are let go. */
function createWorking(revision: RevisionName) {
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let onCancelled = () => {};
  const cancelled = new Promise<void>((resolve) => {
    onCancelled = resolve;
  });
  const often = { task: "optional", pollIntervalMs: 50 } as const;
  const server = createServer({ name: "working", version: "1", revisions: [revision] });
  server.tool("work", often, async (_, ctx) => {
    ctx.signal.addEventListener("abort", onCancelled);
    await Promise.race([gone, cancelled]);
    return "worked";
  });
  server.tool("ask", often, async (_, ctx) => {
    const { content } = await ctx.elicit("name", "Who?", z.object({ name: z.string() }));
    return `for ${content?.name}`;
  });
  return { server, letGo, cancelled };
}

async function serve(upstream: RevisionName) {
  const working = createWorking(upstream);
  const bridge = await openBridge(working.server);
  const running = await serveHttp(bridge.server, {
    identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
  });
  onTestFinished(async () => {
    await running.close(0);
    await bridge.close();
  });
  const open = async (revision: RevisionName, user = "ann") => {
    const client = await connect(running.url, {
      headers: { "x-user": user },
      revisions: [revision],
      tasks: true,
      elicit: () => ({ action: "accept", content: { name: user } }),
    });
    onTestFinished(() => client.close());
    return client;
  };
  return { ...working, bridge, open };
}

describe.each(revisions)("a task of a server of %s behind a bridge", (upstream) => {
  describe.each(revisions)("for a client of %s", (revision) => {
    it("is a task for the client: it outlives the connection that began it", async () => {
      const { open, letGo } = await serve(upstream);
      const first = await open(revision);
      const taskId = await new Promise<string>((resolve, reject) => {
        const onTask = (task: { taskId: string }) => resolve(task.taskId);
        first.tools.call("work", {}, { task: true, onTask }).catch(reject);
      });
      const second = await open(revision);
      expect(await second.tasks.get(taskId)).toMatchObject({ taskId, status: "working" });
      letGo();
      expect((await second.tasks.resume(taskId)).content).toMatchObject([{ text: "worked" }]);
      expect(await second.tasks.get(taskId)).toMatchObject({ status: "completed" });
    });

    it("asks its client", async () => {
      const { open } = await serve(upstream);
      const client = await open(revision);
      expect((await client.tools.call("ask", {}, { task: true })).content).toMatchObject([
        { text: "for ann" },
      ]);
    });

    it("is unknown to another principal, and ends at the server when it is cancelled", async () => {
      const { open, bridge, cancelled } = await serve(upstream);
      const [ann, bob] = [await open(revision), await open(revision, "bob")];
      const called = new Promise<string>((resolve) => {
        const onTask = (task: { taskId: string }) => resolve(task.taskId);
        ann.tools.call("work", {}, { task: true, onTask }).catch(() => {});
      });
      const taskId = await called;
      await expect(bob.tasks.get(taskId)).rejects.toMatchObject({ wireCode: -32602 });
      await expect(bob.tasks.cancel(taskId)).rejects.toMatchObject({ wireCode: -32602 });
      await ann.tasks.cancel(taskId);
      await cancelled;
      expect(await ann.tasks.get(taskId)).toMatchObject({ status: "cancelled" });
      expect(bridge.running).toBe(0);
    });
  });
});

it("an identified client lists its own tasks through a bridge", async () => {
  const { open, letGo } = await serve("2025-11-25");
  const [ann, bob] = [await open("2025-11-25"), await open("2025-11-25", "bob")];
  const listed = new Promise<unknown[]>((resolve, reject) => {
    const onTask = () => ann.tasks.list().all().then(resolve, reject);
    ann.tools.call("work", {}, { task: true, onTask }).catch(reject);
  });
  expect(await listed).toMatchObject([{ status: "working" }]);
  expect(await bob.tasks.list().all()).toEqual([]);
  letGo();
});
