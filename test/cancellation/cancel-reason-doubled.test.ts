import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client.ts";
import { createServer, type Server, tool } from "../../src/index.ts";

/** A server whose one tool waits until it is cancelled, and what it was told then. */
function createWaiting(): { server: Server; told: Promise<unknown> } {
  let tell: (reason: unknown) => void = () => {};
  const told = new Promise((resolve) => {
    tell = resolve;
  });
  const wait = tool("wait", {}, async (_, ctx) => {
    const aborted = new Promise<void>((resolve) => {
      ctx.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await ctx.progress(0);
    await aborted;
    tell(ctx.signal.reason);
    return "too late";
  });
  return { server: createServer({ name: "waiting", version: "1", tools: [wait] }), told };
}

/** Calls the tool and cancels the call when it runs; gives the reasons that went over the wire, and the error. */
async function cancel(server: Server, name: string, reason: unknown) {
  const sent: unknown[] = [];
  const client = await connect(server, {
    revisions: ["2025-11-25"],
    onMessage: (message) => {
      if ("method" in message && message.method === "notifications/cancelled") sent.push(message.params);
    },
  });
  onTestFinished(() => client.close());
  const controller = new AbortController();
  const options = { signal: controller.signal, onProgress: () => controller.abort(reason) };
  const error = await client.tools.call(name, {}, options).catch((error: unknown) => error);
  return { sent, error };
}

test("the reason of a cancelled call is sent as it was given, and said once on either side", async () => {
  const { server, told } = createWaiting();
  const { sent, error } = await cancel(server, "wait", "Changed my mind.");
  expect(sent).toMatchObject([{ reason: "Changed my mind." }]);
  expect(error).toMatchObject({ code: "cancelled", message: "tools/call was cancelled: Changed my mind." });
  expect(await told).toMatchObject({ message: "tools/call was cancelled: Changed my mind." });
});

test("a call that passes through a mounted client is cancelled with the same reason", async () => {
  const { server, told } = createWaiting();
  const inner = await connect(server, { revisions: ["2025-11-25"] });
  onTestFinished(() => inner.close());
  const outer = createServer({ name: "outer", version: "1" });
  outer.mount("inner", inner);
  await cancel(outer, "inner_wait", new Error("Changed my mind"));
  expect(await told).toMatchObject({ message: "tools/call was cancelled: Changed my mind." });
});

test("a call that took too long says so", async () => {
  const { server, told } = createWaiting();
  const client = await connect(server, { revisions: ["2025-11-25"] });
  onTestFinished(() => client.close());
  const call = client.tools.call("wait", {}, { timeout: { total: 20 } });
  await expect(call).rejects.toMatchObject({ code: "timeout" });
  expect(await told).toMatchObject({ message: expect.stringMatching(/^tools\/call was cancelled: .*20 ms/) });
});

test("a call that is cancelled without a word is cancelled without a reason", async () => {
  const { server, told } = createWaiting();
  const { sent } = await cancel(server, "wait", 42);
  expect(sent).toEqual([{ requestId: expect.anything() }]);
  expect(await told).toMatchObject({ message: "tools/call was cancelled." });
});
