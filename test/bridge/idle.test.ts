import { createServer, type Server, UrlElicitationRequiredError } from "allspeak";
import { openBridge } from "allspeak/bridge";
import type { ConnectOptions } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { createTestClock } from "allspeak/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";

function createUpstream() {
  const server = createServer({ name: "upstream", version: "1", revisions: ["2025-11-25"] });
  server.tool("me", {}, (_, ctx) => `${ctx.session?.id}`);
  server.tool("buy", {}, () => {
    throw new UrlElicitationRequiredError([
      { message: "Log in.", url: "https://example.com/", id: "login-1" },
    ]);
  });
  return server;
}

async function bridgeTo(server: Server): Promise<Server> {
  const bridge = await openBridge(server);
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function gatewayTo(server: Server): Promise<Server> {
  const tools = { in: { me: { rename: "me" }, buy: { rename: "buy" } } };
  const gateway = await openGateway({ servers: { in: server }, tools });
  onTestFinished(() => gateway.close());
  return gateway.server;
}

function useClock() {
  const clock = createTestClock();
  clock.install();
  onTestFinished(() => clock.restore());
  return clock;
}

const aWhile = 3_600_000;

describe.each([
  ["bridge", bridgeTo],
  ["gateway", gatewayTo],
] as const)("a session of a %s that sends nothing for a long time", (_, open) => {
  async function begin(options: ConnectOptions = {}) {
    const clock = useClock();
    const server = createUpstream();
    const client = await openClient(await open(server), { revisions: ["2025-11-25"], ...options });
    const me = async () => (await client.tools.call("me")).content;
    return { clock, server, client, me };
  }

  it("gets log messages, from the level that it has set", async () => {
    const logs = new Queue<unknown>();
    const { clock, server, client, me } = await begin({ onLog: ({ data }) => logs.push(data) });
    await me();
    await client.setLogLevel("warning");
    await me();
    await clock.advance(aWhile);
    server.log("info", "too low");
    server.log("warning", "full");
    expect(await logs.next()).toBe("full");
  });

  it("gets the end of a visit", async () => {
    const ends = new Queue<unknown>();
    const { clock, server, client } = await begin({
      elicit: () => ({ action: "accept" }),
      onNotification: (method, params) =>
        method === "notifications/elicitation/complete" && ends.push(params.elicitationId),
    });
    await expect(client.tools.call("buy")).rejects.toMatchObject({ wireCode: -32042 });
    await clock.advance(aWhile);
    server.completeElicitation("login-1");
    expect(await ends.next()).toBe("login-1");
  });

  it("keeps the session of the server, and what the server keeps in it", async () => {
    const { clock, me } = await begin();
    const before = await me();
    await clock.advance(aWhile);
    expect(await me()).toEqual(before);
  });

  it("gets changes of lists", async () => {
    const { clock, server, client, me } = await begin();
    await me();
    const changes = new Queue<string>();
    client.onChange(({ kind }) => void changes.push(kind));
    await clock.advance(aWhile);
    server.tool("more", {}, () => "more");
    expect(await changes.next()).toBe("tools");
  });
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a connection for callers of %s is closed when none of them has a session, and it was idle for long enough",
  async (revision) => {
    const clock = useClock();
    const bridge = await openBridge(createUpstream(), { isolation: "per-principal", idleMs: 60_000 });
    onTestFinished(() => bridge.close());
    const callOnce = async () => {
      const client = await openClient(bridge.server, { revisions: [revision] });
      const { content } = await client.tools.call("me");
      await client.close();
      return content;
    };
    const before = await callOnce();
    await clock.advance(59_000);
    expect(await callOnce()).toEqual(before);
    await clock.advance(61_000);
    expect(await callOnce()).not.toEqual(before);
  },
);
