import { createServer, type Server } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openSession } from "../support/http/raw-session.ts";
import { callNewest } from "../support/http/stateless-request.ts";
import { Queue } from "../support/queue.ts";

const greedy = { "x-forwarded-for": "203.0.113.66" };
const honest = { "x-forwarded-for": "203.0.113.1" };
const capabilities = { elicitation: { form: {} } };

/** A server whose calls end when they are aborted. */
function createSlow() {
  const started = new Queue<string>();
  const server = createServer({ name: "slow", version: "1", log: () => {} });
  server.tool("hang", {}, async (_, { signal }) => {
    started.push("hang");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "";
  });
  server.tool("ask", {}, async (_, ctx) => (await ctx.elicit("Sure?", z.object({ ok: z.boolean() }))).action);
  server.tool("read", {}, () => "read");
  return { server, started };
}

async function serve(server: Server<unknown>): Promise<string> {
  const running = await serveHttp(server, { trustProxy: 1, limits: { anonymous: false } });
  onTestFinished(() => running.close(0));
  return running.url;
}

test("an address without a principal leaves room in a gateway for others without one", async () => {
  const { server, started } = createSlow();
  const gateway = await openGateway({ servers: { a: server }, maxRunning: 4, onProblem: () => {} });
  onTestFinished(() => gateway.close());
  const url = await serve(gateway.server);
  const stop = new AbortController();
  const calls = [1, 2].map(() =>
    callNewest(url, "a__hang", {}, { headers: greedy, signal: stop.signal }).catch(() => undefined),
  );
  await started.take(2);
  expect((await callNewest(url, "a__read", {}, { headers: greedy })).status).toBe(503);
  expect((await callNewest(url, "a__read", {}, { headers: honest })).status).toBe(200);
  stop.abort();
  await Promise.all(calls);
});

test("an address without a principal leaves connections of a bridge for others without one", async () => {
  const { server, started } = createSlow();
  const bridge = await openBridge(server, { maxConnections: 2 });
  onTestFinished(() => bridge.close());
  const url = await serve(bridge.server);
  const stop = new AbortController();
  const calls: Promise<unknown>[] = [];
  for (let opened = 0; opened < 2; opened++) {
    const session = await openSession(url, "2025-11-25", { headers: greedy, capabilities });
    calls.push(session.call("hang", {}, { signal: stop.signal }).catch(() => undefined));
    await started.next();
  }
  const other = await openSession(url, "2025-11-25", { headers: honest, capabilities });
  expect(await (await other.call("read")).result()).toMatchObject({
    result: { content: [{ text: "read" }] },
  });
  stop.abort();
  await Promise.all(calls);
});

test("an address without a principal leaves room for the questions of others without one", {
  timeout: 60_000,
}, async () => {
  const { server } = createSlow();
  const bridge = await openBridge(server);
  onTestFinished(() => bridge.close());
  const url = await serve(bridge.server);
  const ask = async (headers: Record<string, string>) => {
    const answer = await callNewest(url, "ask", {}, { headers, capabilities });
    await answer.text();
    return answer.status;
  };
  let asked = 0;
  while ((await ask(greedy)) === 200) asked++;
  expect(asked).toBeGreaterThan(100);
  expect(await ask(honest)).toBe(200);
});
