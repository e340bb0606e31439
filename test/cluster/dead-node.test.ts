import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import type { State } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { openBalancer } from "../support/balancer.ts";
import type { EventReader } from "../support/http/event-reader.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { hurry } from "../support/hurry.ts";
import { Queue } from "../support/queue.ts";
import { cuttable, sharedMemory } from "../support/shared-state.ts";

const revision = "2025-03-26";

async function open(state: State) {
  const started = new Queue<string>();
  const releases: (() => void)[] = [];
  const hold = (name: string, annotations: object) =>
    tool(name, { annotations }, async (_, ctx) => {
      await ctx.progress(1);
      started.push(name);
      return new Promise<string>((resolve) => {
        ctx.signal.addEventListener("abort", () => resolve("ended"));
        releases.push(() => resolve("released"));
      });
    });
  const tools = [hold("look", { readOnlyHint: true }), hold("pay", {}), tool("short", {}, () => "done")];
  const running = await serveHttp(createServer({ name: "mortal", version: "1", tools, log: () => {} }), {
    state,
  });
  onTestFinished(() => running.close(0));
  const release = () => {
    for (const one of releases) one();
  };
  return { url: running.url, started, release };
}

const toCall = (id: number, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, _meta: { progressToken: id } },
});

/** The id of the last of so many events. */
async function readIds(events: EventReader, count: number): Promise<string | undefined> {
  let last: string | undefined;
  for (let read = 0; read < count; ) {
    const event = await events.next();
    if (event?.data) read++;
    last = event?.id ?? last;
  }
  return last;
}

it("calls of a node that died end with an error that says whether they may be repeated, once, for every reader", async () => {
  hurry();
  const state = sharedMemory();
  const dying = cuttable(state);
  const [a, b, c] = [await open(dying.state), await open(state), await open(state)];
  const session = await openSession(a.url, revision);
  const batch = [toCall(1, "look"), toCall(2, "pay"), toCall(3, "short")];
  const events = (await session.post(batch)).events();
  const last = await readIds(events, 3);
  for (const _ of [1, 2]) await a.started.next();
  dying.cut();
  events.cut();

  const at = (url: string) => new RawSession(url, session.id, revision);
  const first = await at(b.url).listen(last);
  const second = await at(c.url).listen(last);
  const lost = (id: number, retryable: boolean) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32603, message: expect.stringContaining("gone"), data: { callLost: true, retryable } },
  });
  const told = [lost(1, true), lost(2, false)];
  expect(await first.messages()).toEqual(told);
  expect(await second.messages()).toEqual(told);
  expect(await (await at(b.url).listen(last)).messages()).toEqual(told);
  expect((await (await at(c.url).call("short", {}, { id: 9 })).result()).result).toBeDefined();
});

it("our client repeats a call of a node that died if it only looks, and reports any other as lost", async () => {
  hurry();
  const state = sharedMemory();
  const dying = cuttable(state);
  const [a, b] = [await open(dying.state), await open(state)];
  const balancer = await openBalancer([new URL(a.url).origin]);
  const client = await connect(balancer.url, { revisions: [revision] });
  onTestFinished(() => client.close());
  await client.tools.list().all();
  const options = { onProgress: () => {} };
  const looking = client.tools.call("look", {}, options);
  const paying = client.tools.call("pay", {}, options).catch((error: Error) => error);
  for (const _ of [1, 2]) await a.started.next();
  dying.cut();
  balancer.nodes.splice(0, 1, new URL(b.url).origin);
  balancer.cut();

  expect(await paying).toMatchObject({ code: "call-lost", mayRetry: false });
  expect(await b.started.next()).toBe("look");
  b.release();
  expect((await looking).content).toEqual([{ type: "text", text: "released" }]);
});
