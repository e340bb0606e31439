import { createServer, type Server, UrlElicitationRequiredError } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { connectTest } from "allspeak/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";

type Revision = NonNullable<ConnectOptions["revisions"]>[number];

const sessions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

function createUpstream(revision: (typeof sessions)[number] = "2025-11-25") {
  const server = createServer({ name: "upstream", version: "1", revisions: [revision] });
  const inside = new Queue<() => void>();
  const asked = new Queue<string | undefined>();
  server.tool("work", {}, () => new Promise<string>((resolve) => inside.push(() => resolve("done"))));
  server.tool("me", {}, (_, ctx) => void asked.push(ctx.session?.id));
  server.tool("buy", {}, () => {
    throw new UrlElicitationRequiredError([
      { message: "Log in.", url: "https://example.com/", id: "login-1" },
    ]);
  });
  server.tool("pay", {}, async (_, ctx) => {
    await ctx.elicit("Pay.", { url: "https://example.com/pay", id: "pay-1" });
    await ctx.completeElicitation("pay-1");
  });
  return { server, inside, asked };
}

async function bridgeTo(server: Server): Promise<Server> {
  const bridge = await openBridge(server);
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function listen(target: Server, revision: Revision = "2025-11-25") {
  const logs = new Queue<unknown>();
  const ends = new Queue<unknown>();
  const client = await openClient(target, {
    revisions: [revision],
    elicit: () => ({ action: "accept" }),
    onLog: ({ data }) => logs.push(data),
    onNotification: (method, params) =>
      method === "notifications/elicitation/complete" && ends.push(params.elicitationId),
  });
  return { client, logs, ends };
}

/** Listens once the server behind is reached. */
async function listenAfterList(target: Server, revision?: Revision) {
  const listener = await listen(target, revision);
  await listener.client.tools.list().all();
  return listener;
}

describe.each(sessions)("a server of %s behind a bridge", (revision) => {
  it.each(sessions)("logs outside a call to sessions of %s, once to each", async (here) => {
    const { server } = createUpstream(revision);
    const bridged = await bridgeTo(server);
    const [one, two] = [await listenAfterList(bridged, here), await listenAfterList(bridged, here)];
    server.log("warning", "full");
    server.log("debug", "not asked for");
    server.log("error", "last");
    expect(await one.logs.take(2)).toEqual(["full", "last"]);
    expect(await two.logs.take(2)).toEqual(["full", "last"]);
  });
});

it("a log message comes once to a session whose call runs", async () => {
  const { server, inside } = createUpstream();
  const { client, logs } = await listenAfterList(await bridgeTo(server));
  const call = client.tools.call("work");
  const end = await inside.next();
  server.log("info", "meanwhile");
  end();
  await call;
  server.log("info", "afterwards");
  expect(await logs.take(2)).toEqual(["meanwhile", "afterwards"]);
});

it("a log message for one session reaches no other through a bridge", async () => {
  const { server, asked } = createUpstream();
  const bridged = await bridgeTo(server);
  const [one, two] = [await listenAfterList(bridged), await listenAfterList(bridged)];
  await one.client.tools.call("me");
  server.log("info", "for one", { session: await asked.next() });
  server.log("info", "for all");
  expect(await one.logs.take(2)).toEqual(["for one", "for all"]);
  expect(await two.logs.next()).toBe("for all");
});

it("the level that a session sets counts at the server behind a bridge at once", async () => {
  const { server } = createUpstream();
  const { client, logs } = await listen(await bridgeTo(server));
  await client.setLogLevel("debug");
  server.log("debug", "fine");
  await client.setLogLevel("error");
  server.log("warning", "too low");
  server.log("error", "high");
  expect(await logs.take(2)).toEqual(["fine", "high"]);
});

it("a session that has ended gets no log messages, and keeps none from others", async () => {
  const { server } = createUpstream();
  const bridge = await openBridge(server, { isolation: "shared" });
  onTestFinished(() => bridge.close());
  const [one, two] = [await listenAfterList(bridge.server), await listenAfterList(bridge.server)];
  await one.client.close();
  server.log("info", "to one");
  expect(await two.logs.next()).toBe("to one");
  expect(one.logs.drain()).toEqual([]);
});

it("the end of a visit reaches the client behind a bridge that got the error, and no other", async () => {
  const { server } = createUpstream();
  const bridged = await bridgeTo(server);
  const [one, two] = [await listenAfterList(bridged), await listenAfterList(bridged)];
  await expect(one.client.tools.call("buy")).rejects.toMatchObject({
    wireCode: -32042,
    data: { elicitations: [{ elicitationId: "login-1" }] },
  });
  server.completeElicitation("login-1");
  expect(await one.ends.next()).toBe("login-1");
  await two.client.tools.list({ fresh: true }).all();
  expect(two.ends.drain()).toEqual([]);
});

it("the end of a visit during a call crosses a bridge", async () => {
  const { server } = createUpstream();
  const { client, ends } = await listenAfterList(await bridgeTo(server));
  await client.tools.call("pay");
  expect(await ends.next()).toBe("pay-1");
});

it("a server behind a gateway logs outside a call to the sessions that have used it", async () => {
  const { server } = createUpstream();
  const gateway = await openGateway({ servers: { up: server } });
  onTestFinished(() => gateway.close());
  const [one, two] = [await listen(gateway.server), await listenAfterList(gateway.server)];
  await one.client.tools.call("up__me");
  await one.client.setLogLevel("debug");
  server.log("debug", "fine");
  expect(await one.logs.next()).toBe("fine");
  await two.client.tools.call("up__me");
  expect(two.logs.drain()).toEqual([]);
});

describe.each(["memory", "http"] as const)("a client mounted over %s", (transport) => {
  async function mountUpstream(server: Server): Promise<Server> {
    const running = transport === "http" ? await serveHttp(server) : undefined;
    const client: Client = await connect(running?.url ?? server);
    onTestFinished(async () => {
      await client.close();
      await running?.close(0);
    });
    const between = createServer({ name: "between", version: "1" });
    between.mount("in", client);
    return between;
  }

  it("passes log messages outside a call to sessions that have used it", async () => {
    const { server } = createUpstream();
    const { client, logs } = await listen(await mountUpstream(server));
    await client.tools.call("in_me");
    server.log("warning", "full");
    expect(await logs.next()).toBe("full");
  });

  it("passes them to nobody once two principals have used it", async () => {
    const { server } = createUpstream();
    const between = await mountUpstream(server);
    const logs = new Queue<unknown>();
    for (const subject of ["ann", "bob"]) {
      const client = await connectTest(between, {
        revision: "2025-11-25",
        principal: { subject, issuer: "test" },
        onLog: ({ data }) => logs.push(data),
      });
      onTestFinished(() => client.close());
      await client.tools.call("in_me");
    }
    server.log("warning", "for whom?");
    const { client } = await listen(between);
    await client.tools.call("in_me");
    expect(logs.drain()).toEqual([]);
  });
});
