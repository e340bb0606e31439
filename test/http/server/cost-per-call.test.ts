import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect as connectSocket, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { bearer } from "../../../src/auth.ts";
import type { HttpOptions } from "../../../src/http.ts";
import { createServer } from "../../../src/index.ts";
import { createNodeHandler } from "../../../src/node.ts";
import { MetaKey } from "../../../src/protocol/meta.ts";
import { openIssuer } from "../../support/auth/token-issuer.ts";

const callsPerBatch = 20;
const batches = 5;

/** The things that one call makes, each of which costs time. */
interface Cost {
  readonly promises: number;
  readonly timers: number;
  readonly listeners: number;
  /** Entries of weak maps: the garbage collector takes longer for each than a call takes. */
  readonly weakEntries: number;
}

const input = z.object({ text: z.string() });

/** Serves two tools, and counts what calls make on the side of the server. The client is a bare socket, which makes nothing. */
async function serveCounted(options: HttpOptions = {}) {
  const server = createServer({ name: "echo", version: "1.0.0" });
  server.tool("sync", { description: "Echoes", input }, ({ text }) => text);
  server.tool("async", { description: "Echoes", input }, async ({ text }) => text);
  const handler = createNodeHandler(server, options);
  let listeners = 0;
  const http = createHttpServer((request, response) => {
    const before = countListeners(request, response);
    handler(request, response);
    response.once("finish", () => {
      listeners += countListeners(request, response) - before;
    });
  });
  // Otherwise node:http makes a timer for each answer.
  http.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const socket = connectSocket((http.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(async () => {
    socket.destroy();
    await handler.close(0);
    await new Promise((resolve) => http.close(resolve));
  });
  await once(socket, "connect");
  const takeListeners = () => {
    const taken = listeners;
    listeners = 0;
    return taken;
  };
  return { socket, takeListeners };
}

function countListeners(...emitters: readonly (IncomingMessage | ServerResponse)[]): number {
  return emitters
    .flatMap((emitter) => emitter.eventNames().map((name) => emitter.listenerCount(name)))
    .reduce((sum, count) => sum + count, 0);
}

/** Posts one message after the other, and calls back with the head of the last answer. */
function post(
  socket: Socket,
  headers: object,
  bodies: readonly string[],
  done: (head: string) => void,
): void {
  const [body = "", ...rest] = bodies;
  let answer = "";
  const onData = (data: Buffer) => {
    answer += data.toString();
    const [head = "", text = ""] = answer.split("\r\n\r\n");
    if (text.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)) return;
    socket.off("data", onData);
    if (rest.length === 0) done(head);
    else post(socket, headers, rest, done);
  };
  socket.on("data", onData);
  const lines = Object.entries({ Host: "localhost", "Content-Type": "application/json", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`POST /mcp HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`);
}

/** The least that a batch of calls made, since other work in this process is counted too. */
async function measure(tool: string, headers: object, meta: object, counted: Counted): Promise<Cost> {
  const params = { name: tool, arguments: { text: "x" }, ...meta };
  const bodies = Array.from({ length: callsPerBatch }, (_, index) =>
    JSON.stringify({ jsonrpc: "2.0", id: index + 10, method: "tools/call", params }),
  );
  const sent = { ...headers, "Mcp-Method": "tools/call", "Mcp-Name": tool };
  const costs: Cost[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const made = new Map<string, number>();
    const hook = createHook({ init: (_, type) => void made.set(type, (made.get(type) ?? 0) + 1) });
    const weakEntries = countWeakEntries();
    await new Promise<void>((resolve) => {
      hook.enable();
      post(counted.socket, sent, bodies, (head) => {
        hook.disable();
        weakEntries.stop();
        expect(head).toContain("200 OK");
        resolve();
      });
    });
    const per = (count = 0) => Math.round(count / callsPerBatch);
    costs.push({
      promises: per(made.get("PROMISE")),
      timers: per(made.get("Timeout")),
      listeners: per(counted.takeListeners()),
      weakEntries: per(weakEntries.count),
    });
  }
  const least = (key: keyof Cost) => Math.min(...costs.map((cost) => cost[key]));
  return {
    promises: least("promises"),
    timers: least("timers"),
    listeners: least("listeners"),
    weakEntries: least("weakEntries"),
  };
}

function countWeakEntries() {
  const counter = vi.spyOn(WeakMap.prototype, "set");
  let count = 0;
  return {
    get count() {
      return count;
    },
    stop: () => {
      count = counter.mock.calls.length;
      counter.mockRestore();
    },
  };
}

/** Fails for each number that is higher; a lower one is welcome. */
function expectAtMost(cost: Cost, most: Omit<Cost, "weakEntries">): void {
  expect(cost.promises, "promises").toBeLessThanOrEqual(most.promises);
  expect(cost.timers, "timers").toBeLessThanOrEqual(most.timers);
  expect(cost.listeners, "listeners").toBeLessThanOrEqual(most.listeners);
  expect(cost.weakEntries, "entries of weak maps").toBe(0);
}

type Counted = Awaited<ReturnType<typeof serveCounted>>;

const newest = "2026-07-28";
const meta = {
  _meta: {
    [MetaKey.protocolVersion]: newest,
    [MetaKey.clientInfo]: { name: "test", version: "1.0.0" },
    [MetaKey.clientCapabilities]: {},
  },
};

async function openSession({ socket }: Counted): Promise<object> {
  const revision = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: revision });
  const head = await new Promise<string>((resolve) => post(socket, {}, [initialize], resolve));
  const id = /mcp-session-id: (\S+)/i.exec(head)?.[1];
  return { "MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": id };
}

describe("the cost of a call over HTTP, in things that are made for it", () => {
  it("is no promise, at most seven for an async handler, and no timer", async () => {
    const counted = await serveCounted();
    const headers = { "MCP-Protocol-Version": newest };
    await measure("sync", headers, meta, counted);
    expectAtMost(await measure("sync", headers, meta, counted), { promises: 0, timers: 0, listeners: 5 });
    expectAtMost(await measure("async", headers, meta, counted), { promises: 7, timers: 0, listeners: 5 });
  });

  it("is hardly more in a session", async () => {
    const counted = await serveCounted();
    const headers = await openSession(counted);
    await measure("sync", headers, {}, counted);
    expectAtMost(await measure("sync", headers, {}, counted), { promises: 0, timers: 0, listeners: 5 });
    expectAtMost(await measure("async", headers, {}, counted), { promises: 8, timers: 0, listeners: 5 });
  });

  it("is not more with a token that was verified before", async () => {
    const issuer = await openIssuer();
    const publicUrl = "http://localhost/mcp";
    const counted = await serveCounted({ publicUrl, auth: bearer({ issuer: issuer.url }) });
    const token = await issuer.mint(publicUrl);
    const headers = { "MCP-Protocol-Version": newest, Authorization: `Bearer ${token}` };
    const plain = await serveCounted();
    await measure("sync", headers, meta, counted);
    await measure("sync", headers, meta, plain);
    const most = await measure("sync", headers, meta, plain);
    expectAtMost(await measure("sync", headers, meta, counted), most);
  });
});
