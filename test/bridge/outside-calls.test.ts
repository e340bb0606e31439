import { createServer, type Server, UrlElicitationRequiredError } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { connectTest } from "allspeak/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";
import { sharedMemory, withEvents } from "../support/shared-state.ts";

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
  const set = new Queue<string>();
  server.use(async (call, next) => {
    const result = await next();
    if (call.method === "logging/setLevel") set.push(call.method);
    return result;
  });
  return { server, inside, asked, set };
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

async function listenAs(subject: string | undefined, target: Server) {
  const logs = new Queue<unknown>();
  const client = await connectTest(target, {
    revision: "2025-11-25",
    ...(subject !== undefined && { principal: { subject, issuer: "test" } }),
    onLog: ({ data }) => logs.push(data),
  });
  onTestFinished(() => client.close());
  return { client, logs };
}

/** A server that has mounted a client of another under "in". */
async function mountClient(server: Server): Promise<Server> {
  const client = await openClient(server);
  const between = createServer({ name: "between", version: "1" });
  between.mount("in", client);
  return between;
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

it("the level that a session sets counts at the server behind a bridge before its next call", async () => {
  const { server, set } = createUpstream();
  const { client, logs } = await listen(await bridgeTo(server));
  await client.setLogLevel("debug");
  await set.next();
  server.log("debug", "fine");
  await client.setLogLevel("error");
  await set.next();
  server.log("warning", "too low");
  server.log("error", "high");
  expect(await logs.take(2)).toEqual(["fine", "high"]);
});

it("a session that has ended gets no log messages, and keeps none from others", async () => {
  const { server } = createUpstream();
  const bridge = await openBridge(server, { isolation: "shared" });
  onTestFinished(() => bridge.close());
  const [one, two] = [await listenAs("ann", bridge.server), await listenAs("ann", bridge.server)];
  for (const { client } of [one, two]) await client.tools.list().all();
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
  const { server, set } = createUpstream();
  const gateway = await openGateway({ servers: { up: server } });
  onTestFinished(() => gateway.close());
  const [one, two] = [await listen(gateway.server), await listenAfterList(gateway.server)];
  await one.client.tools.call("up__me");
  await one.client.setLogLevel("debug");
  await set.next();
  server.log("debug", "fine");
  expect(await one.logs.next()).toBe("fine");
  await two.client.tools.call("up__me");
  expect(two.logs.drain()).toEqual([]);
});

it("each log message reaches each of many sessions of a mounted client", async () => {
  const { server } = createUpstream();
  const between = await mountClient(server);
  const listeners: Awaited<ReturnType<typeof listenAs>>[] = [];
  // More than are notified in one turn.
  for (let opened = 0; opened < 260; opened++) listeners.push(await listenAs("ann", between));
  for (const { client } of listeners) await client.tools.call("in_me");
  for (const text of ["one", "two", "three"]) server.log("warning", text);
  for (const { logs } of listeners) expect(await logs.take(3)).toEqual(["one", "two", "three"]);
});

it("a log message reaches every session of a bridge with a shared state", async () => {
  const { server } = createUpstream();
  const running = await serveHttp(await bridgeTo(server), { state: sharedMemory() });
  onTestFinished(() => running.close(0));
  const open = async () => {
    const logs = new Queue<unknown>();
    const client = await openClient(running.url, {
      revisions: ["2025-11-25"],
      onLog: ({ data }) => logs.push(data),
    });
    await client.tools.call("me");
    return logs;
  };
  const all = [await open(), await open(), await open()];
  server.log("warning", "full");
  for (const logs of all) expect(await logs.next()).toBe("full");
});

it("a log message for many sessions of one caller is one event in the store", async () => {
  const { server } = createUpstream();
  const stored: string[] = [];
  const state = withEvents(sharedMemory(), (events) => ({
    append: (stream, texts, ttlMs) => {
      stored.push(...texts.filter((text) => text.includes('"kind":"log"')));
      return events.append(stream, texts, ttlMs);
    },
  }));
  const bridge = await openBridge(server, { isolation: "shared" });
  const running = await serveHttp(bridge.server, {
    state,
    identify: () => ({ issuer: "test", subject: "ann" }),
  });
  onTestFinished(async () => {
    await running.close(0);
    await bridge.close();
  });
  const all: Queue<unknown>[] = [];
  for (let opened = 0; opened < 5; opened++) {
    const logs = new Queue<unknown>();
    const options = {
      revisions: ["2025-11-25"] as const,
      onLog: ({ data }: { readonly data: unknown }) => logs.push(data),
    };
    await (await openClient(running.url, options)).tools.call("me");
    all.push(logs);
  }
  server.log("warning", "full");
  for (const logs of all) expect(await logs.next()).toBe("full");
  expect(stored).toHaveLength(1);
});

it("the log messages of all servers behind a gateway reach a session", async () => {
  const servers = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, createUpstream().server]));
  const gateway = await openGateway({ servers });
  onTestFinished(() => gateway.close());
  const { client, logs } = await listen(gateway.server);
  for (const name of Object.keys(servers)) await client.tools.call(`${name}__me`);
  for (const [name, server] of Object.entries(servers)) server.log("warning", name);
  expect((await logs.take(4)).toSorted()).toEqual(["a", "b", "c", "d"]);
});

it("log messages of mounted servers keep none of each other from a session", async () => {
  const servers = ["a", "b", "c"].map((name) => ({ name, server: createUpstream().server }));
  const between = createServer({ name: "between", version: "1" });
  for (const { name, server } of servers) between.mount(name, server);
  const { logs } = await listen(between);
  for (const { name, server } of servers) server.log("warning", name);
  expect(await logs.take(3)).toEqual(["a", "b", "c"]);
});

describe("a mounted client passes no log message to one caller that another may have caused", () => {
  const uses: Record<string, (client: Client) => Promise<unknown>> = {
    "completion/complete": (client) =>
      client.complete({ type: "ref/prompt", name: "in_poem" }, { name: "city", value: "a secret" }),
    "prompts/list": (client) => client.prompts.list().all(),
    "resources/subscribe": (client) => client.subscribe({ resources: ["book://a"] }),
    "tools/call": (client) => client.tools.call("in_me"),
  };
  const callers = [
    ["principals", "ann", "bob"],
    ["anonymous sessions", undefined, undefined],
  ] as const;

  describe.each(callers)("of two %s", (_, one, two) => {
    it.each(Object.keys(uses))("by %s", async (method) => {
      const { server } = createUpstream();
      server.prompt("poem", { args: z.object({ city: z.string() }), complete: { city: () => [] } }, () => "");
      server.resource("book://a", { name: "a" }, () => "");
      const heard = new Queue<string>();
      let isOther = false;
      server.use((call, next) => {
        if (isOther && call.method === method) {
          server.log("warning", "a secret");
          heard.push(method);
        }
        return next();
      });
      const between = await mountClient(server);
      const listener = await listenAs(one, between);
      await listener.client.tools.call("in_me");
      const other = await listenAs(two, between);
      isOther = true;
      await uses[method]?.(other.client);
      await heard.next();
      isOther = false;
      await listener.client.tools.call("in_me");
      expect(listener.logs.drain()).toEqual([]);
    });
  });
});

it("a session sets its level though a server behind a mount hangs", async () => {
  const { server } = createUpstream();
  server.use((call, next) => (call.method === "logging/setLevel" ? new Promise(() => {}) : next()));
  const { client } = await listen(await mountClient(server));
  await expect(client.setLogLevel("debug")).resolves.toBeUndefined();
});

it("the end of a visit during a call reaches the stream of its session at another node", async () => {
  const { server } = createUpstream();
  const state = sharedMemory();
  const open = async () => {
    const running = await serveHttp(await bridgeTo(server), { state });
    onTestFinished(() => running.close(0));
    return running.url;
  };
  const [here, there] = [await open(), await open()];
  const session = await openSession(here, "2025-11-25", { capabilities: { elicitation: { url: {} } } });
  await session.notify("notifications/initialized");
  const stream = await new RawSession(there, session.id, "2025-11-25").listen();
  onTestFinished(() => stream.cut());
  const question = await (await session.call("pay")).events().message();
  await session.answer(question?.id, { action: "accept" });
  expect(await stream.message()).toMatchObject({
    method: "notifications/elicitation/complete",
    params: { elicitationId: "pay-1" },
  });
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
