import { createServer, type Server } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { hurry } from "../support/hurry.ts";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";
import { turns } from "../support/turns.ts";

/** A server that takes a level only when the test lets it. */
function createSlow() {
  const steps: string[] = [];
  const asked = new Queue<() => void>();
  const server = createServer({ name: "slow", version: "1", revisions: ["2025-11-25"] });
  server.tool("work", {}, async (_, ctx) => {
    steps.push("work");
    await ctx.log("debug", "fine");
    return "done";
  });
  server.resource("note://one", { name: "one" }, () => "one");
  server.use(async (call, next) => {
    if (call.method !== "logging/setLevel") return next();
    await new Promise<void>((resolve) => asked.push(resolve));
    const result = await next();
    steps.push("level");
    return result;
  });
  return { server, steps, asked };
}

async function serve(server: Server): Promise<string> {
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  return running.url;
}

async function bridgeTo(target: string): Promise<Server> {
  const bridge = await openBridge(target);
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function gatewayTo(target: string): Promise<Server> {
  const gateway = await openGateway({ servers: { in: target }, tools: { in: { work: { rename: "work" } } } });
  onTestFinished(() => gateway.close());
  return gateway.server;
}

async function listen(target: Server) {
  const logs = new Queue<unknown>();
  const client = await openClient(target, {
    revisions: ["2025-11-25"],
    onLog: ({ data }) => logs.push(data),
  });
  return { client, logs };
}

describe.each([
  ["bridge", bridgeTo],
  ["gateway", gatewayTo],
] as const)("a session before a %s to a server over HTTP", (_, open) => {
  it("has the level that it has set in its very next call", async () => {
    const { server, steps, asked } = createSlow();
    const { client, logs } = await listen(await open(await serve(server)));
    // The gateway passes a level on over the connections that are open.
    await client.tools.call("work");
    await client.setLogLevel("debug");
    const letGo = await asked.next();
    const call = client.request("tools/call", { name: "work" });
    // Requests that are sent after the call, and answered: the call would have arrived by now.
    for (let sent = 0; sent < 3; sent++) await client.request("resources/list", {});
    letGo();
    await call;
    expect(steps).toEqual(["work", "level", "work"]);
    expect(await logs.next()).toBe("fine");
  });

  it("calls tools although the server never takes the level", async () => {
    hurry();
    const { server, asked } = createSlow();
    const { client } = await listen(await open(await serve(server)));
    await client.tools.call("work");
    await client.setLogLevel("debug");
    await asked.next();
    expect(await client.tools.call("work")).toMatchObject({ content: [{ text: "done" }] });
  });
});

it("a bridge does not count a level that a server has not taken yet as a running call", async () => {
  const { server, asked } = createSlow();
  const bridge = await openBridge(server);
  onTestFinished(() => bridge.close());
  const { client } = await listen(bridge.server);
  await client.setLogLevel("debug");
  const take = await asked.next();
  await turns(3);
  expect(bridge.running).toBe(0);
  take();
});
