import { type Context, createServer } from "allspeak";
import { connect, requestHandler } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { reachInProcess } from "../matrix/in-process.ts";
import { Counter } from "../support/counter.ts";
import { openSession } from "../support/http/raw-session.ts";
import { openRaw, type Wire } from "../support/raw-client.ts";
import { turns } from "../support/turns.ts";

const revisions = ["2025-11-25"] as const;
const extension = "com.acme/reports";

/** A server whose tool does what the test wants, and the rejections that nobody handled. */
function createAsking(ask: (ctx: Context) => Promise<unknown>) {
  const server = createServer({ name: "asking", version: "1", log: () => {} });
  server.tool("ask", "Asks", async (_args, ctx) => JSON.stringify(await ask(ctx)));
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", onUnhandled);
  onTestFinished(() => void process.off("unhandledRejection", onUnhandled));
  return { server, unhandled };
}

test("a second request that is not awaited yet does not end the process when the client leaves", async () => {
  const { server, unhandled } = createAsking(async (ctx) => {
    const [first, second] = [ctx.request("acme/a"), ctx.request("acme/b")];
    await first;
    return second;
  });
  const asked = new Counter();
  const never = requestHandler({}, () => {
    asked.add(1);
    return new Promise<never>(() => {});
  });
  const client = await connect(server, { revisions, onRequest: { "acme/a": never, "acme/b": never } });
  const call = client.tools.call("ask").catch(() => {});
  await asked.reached(2);
  await client.close();
  await call;
  await turns(3);
  expect(unhandled).toEqual([]);
});

test("params that are not JSON fail the request, and nothing is left when the HTTP session ends", async () => {
  const errors: unknown[] = [];
  const { server, unhandled } = createAsking((ctx) =>
    ctx.request("acme/ask", { n: 1n }).catch((error) => errors.push(error)),
  );
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  const client = await connect(running.url, { revisions });
  await client.tools.call("ask");
  expect(errors).toMatchObject([{ code: "usage" }]);
  await client.close();
  await turns(10);
  expect(unhandled).toEqual([]);
});

test("a request is refused at once where sessions last for one request", async () => {
  const { server } = createAsking((ctx) => ctx.request("acme/ask"));
  const running = await serveHttp(server, { sessions: { stateless: true } });
  onTestFinished(() => running.close(0));
  const onRequest = { "acme/ask": requestHandler({}, () => ({ ok: true })) };
  await using client = await connect(running.url, { revisions, onRequest });
  const refused = client.tools.call("ask");
  await expect(refused).rejects.toMatchObject({ wireCode: -32600, message: /can't be asked/ });
});

test("a request of an extension is sent only to a client that declares it", async () => {
  const { server } = createAsking((ctx) => ctx.request("acme/ask", {}, { extension }));
  server.method("acme/other", { extension }, () => {});
  let asked = 0;
  const answer = () => ({ count: ++asked });
  await using plain = await connect(server, {
    revisions,
    onRequest: { "acme/ask": requestHandler({}, answer) },
  });
  const text = expect.stringContaining(extension);
  expect(await plain.tools.call("ask")).toMatchObject({ isError: true, content: [{ text }] });
  expect(asked).toBe(0);
  await using client = await connect(server, {
    revisions,
    onRequest: { "acme/ask": requestHandler({ extension }, answer) },
  });
  expect(await client.tools.call("ask")).toMatchObject({ content: [{ text: '{"count":1}' }] });
});

test("a task can't send a request, and its notifications have no receiver", async () => {
  const server = createServer({ name: "s", version: "1", log: () => {} });
  const errors: unknown[] = [];
  server.tool("asking", { task: "required", pollIntervalMs: 20 }, async (_args, ctx) => {
    await ctx.request("acme/ask").catch((error) => errors.push(error));
    await ctx.notify("acme/tick");
    return "done";
  });
  const client = openRaw(server);
  await client.initialize();
  const { task } = await client.result("tools/call", { name: "asking", task: {} });
  const { taskId } = task as Wire;
  expect(await client.result("tasks/result", { taskId })).toMatchObject({ content: [{ text: "done" }] });
  expect(errors).toMatchObject([{ code: "usage" }]);
  expect(client.heard.filter(({ method }) => String(method).startsWith("acme/"))).toEqual([]);
});

test.each(["memory", "http"] as const)(
  "progress of a request is reported and heard over %s",
  async (name) => {
    const progress: unknown[] = [];
    const heard: unknown[] = [];
    const onProgress = (current: unknown) => progress.push(current);
    const { server } = createAsking((ctx) => ctx.request("acme/ask", {}, { onProgress }));
    server.onNotification("notifications/progress", {}, ({ progress }) => heard.push(progress));
    const answer = requestHandler({}, async () => {
      await client.notify("notifications/progress", { progressToken: 1, progress: 5 });
      return {};
    });
    const target = await reachInProcess(server, name);
    await using client = await connect(target, { revisions, onRequest: { "acme/ask": answer } });
    await client.tools.call("ask");
    expect({ progress, heard }).toMatchObject({ progress: [{ progress: 5 }], heard: [5] });
  },
);

test.each(["memory", "http"] as const)("a request ends with its call over %s", async (name) => {
  const ended = new Counter();
  const { server } = createAsking((ctx) => ctx.request("acme/ask").finally(() => ended.add(1)));
  const stop = new AbortController();
  const answer = requestHandler({}, () => {
    stop.abort();
    return new Promise<never>(() => {});
  });
  const target = await reachInProcess(server, name);
  await using client = await connect(target, { revisions, onRequest: { "acme/ask": answer } });
  await expect(client.tools.call("ask", {}, { signal: stop.signal })).rejects.toThrow();
  await ended.reached(1);
});

test("a request that wants progress says so over HTTP", async () => {
  const { server } = createAsking((ctx) => ctx.request("acme/ask", {}, { onProgress: () => {} }));
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  const session = await openSession(running.url, "2025-11-25");
  const events = (await session.call("ask")).events();
  const asked = await events.message();
  expect(asked).toMatchObject({ method: "acme/ask", params: { _meta: { progressToken: asked?.id } } });
  await session.answer(asked?.id, {});
});
