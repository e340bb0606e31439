import { once } from "node:events";
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Socket,
} from "node:net";
import { createServer, type ToolDefinition, tool } from "allspeak";
import { redis } from "allspeak/state/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { openSession, toInitialize } from "../support/http/raw-session.ts";
import { callNewest } from "../support/http/stateless-request.ts";
import { Queue } from "../support/queue.ts";

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const [entry] = entries;

/** A way to Redis that can be blocked: it then takes everything and answers nothing, or refuses connections. */
async function createProxy() {
  const sockets = new Set<Socket>();
  let isBlocked = false;
  const server = createTcpServer((socket) => {
    const upstream = connectTcp(6379, "127.0.0.1");
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one.on("error", () => one.destroy());
      one.on("close", () => sockets.delete(one));
    }
    socket.on("data", (data) => void (isBlocked || upstream.write(data)));
    upstream.on("data", (data) => void (isBlocked || socket.write(data)));
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    swallow: () => {
      isBlocked = true;
    },
    refuse: async () => {
      server.close();
      cut();
      await once(server, "close");
    },
    recover: async () => {
      isBlocked = false;
      cut();
      if (!server.listening) {
        server.listen(port, "127.0.0.1");
        await once(server, "listening");
      }
    },
  };
}

async function serve(url: string, tools: readonly ToolDefinition[] = [tool("echo", {}, () => "x")]) {
  if (entry === undefined) throw new Error("There is no entry.");
  const state = redis(url, { prefix: `away-${crypto.randomUUID()}` });
  onTestFinished(() => state.close());
  const server = createServer({ name: "s", version: "1", log: () => {}, tools });
  return (await open(entry, server, { state })).url;
}

describe.each(["swallow", "refuse"] as const)("D6: a store of which the network does %s", (fault) => {
  it("is 503 with Retry-After within a second, is no matter to stateless calls, and comes back by itself", async () => {
    const proxy = await createProxy();
    const url = await serve(proxy.url);
    const session = await openSession(url, "2025-11-25");
    const initialize = () => exchange(url, { body: toInitialize("2025-11-25"), headers: posting });
    await proxy[fault]();
    for (let call = 0; call < 5; call++) {
      const answer = await Promise.race([initialize(), afterSeconds(3)]);
      expect([answer?.status, answer?.headers["retry-after"]]).toEqual([503, "5"]);
      expect((await callNewest(url, "echo")).status).toBe(200);
    }
    expect((await Promise.race([session.ask("ping"), afterSeconds(3)]))?.status).toBe(503);
    await proxy.recover();
    while ((await initialize()).status === 503);
    expect((await session.ask("ping")).status).toBe(200);
  });
});

describe.each(["swallow", "refuse"] as const)("a call that talks while the network does %s", (fault) => {
  it("waits for the store, and its client gets each event and the answer once", async () => {
    const proxy = await createProxy();
    const gate = new Queue<string>();
    const talk = tool("talk", {}, async (_, ctx) => {
      await ctx.log("info", "one");
      await gate.next();
      await ctx.log("info", "two");
      return "done";
    });
    const url = await serve(proxy.url, [talk]);
    const session = await openSession(url, "2025-11-25");
    const events = (await session.call("talk", {}, { id: 7 })).events();
    expect(await events.message()).toMatchObject({ params: { data: "one" } });
    await proxy[fault]();
    gate.push("go on");
    for (let asked = 0; asked < 5; asked++) expect((await session.ask("ping")).status).toBe(503);
    await proxy.recover();
    expect(await events.messages()).toMatchObject([
      { params: { data: "two" } },
      { id: 7, result: { content: [{ text: "done" }] } },
    ]);
  });
});

async function afterSeconds(seconds: number): Promise<undefined> {
  await new Promise((resolve) => AbortSignal.timeout(seconds * 1000).addEventListener("abort", resolve));
  return undefined;
}
