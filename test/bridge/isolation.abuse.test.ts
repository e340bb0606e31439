import { createServer, type Server } from "allspeak";
import { type BridgeOptions, openBridge } from "allspeak/bridge";
import { type ConnectOptions, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { callNewest } from "../support/http/stateless-request.ts";
import { Queue } from "../support/queue.ts";
import { turns } from "../support/turns.ts";

function createAsking(revision: "2025-11-25" | "2026-07-28") {
  const server = createServer({ name: "asking", version: "1", revisions: [revision] });
  server.tool("ask", {}, async (_, ctx) => {
    const { content } = await ctx.elicit("Your secret?", z.object({ secret: z.string() }));
    await ctx.progress(1, 1);
    return `${content?.secret}`;
  });
  server.tool("other", {}, () => "other");
  return server;
}

async function serve(revision: "2025-11-25" | "2026-07-28", options = {}) {
  const bridge = await openBridge(createAsking(revision), options);
  const running = await serveHttp(bridge.server, {
    identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
  });
  onTestFinished(async () => {
    await running.close(0);
    await bridge.close();
  });
  const open = async (user: string) => {
    const client = await connect(running.url, {
      headers: { "x-user": user },
      revisions: ["2026-07-28"],
      elicit: () => ({ action: "accept", content: { secret: user } }),
    });
    onTestFinished(() => client.close());
    return client;
  };
  return { bridge, url: running.url, open };
}

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a round of one principal can't be continued by another, nor twice, before a server of %s",
  async (revision) => {
    const { open } = await serve(revision);
    const [ann, bob] = [await open("ann"), await open("bob")];
    const first = await ann.tools.call("ask", {}, { rounds: "manual" });
    const [key = ""] = Object.keys(first.inputRequests ?? {});
    const next = {
      rounds: "manual" as const,
      requestState: first.requestState,
      inputResponses: { [key]: { action: "accept", content: { secret: "mine" } } },
    };
    await expect(bob.tools.call("ask", {}, next)).rejects.toMatchObject({ wireCode: -32602 });
    // Nor by the call of another tool, or with other arguments.
    await expect(ann.tools.call("other", {}, next)).rejects.toMatchObject({ wireCode: -32602 });
    await expect(ann.tools.call("ask", { x: 1 }, next)).rejects.toMatchObject({ wireCode: -32602 });
    expect((await ann.tools.call("ask", {}, next)).content).toMatchObject([{ text: "mine" }]);
    await expect(ann.tools.call("ask", {}, next)).rejects.toMatchObject({ wireCode: -32602 });
  },
);

it.each(["2025-11-25", "2026-07-28"] as const)(
  "progress after an answer reaches the round that brought it, from a server of %s",
  async (revision) => {
    const { open } = await serve(revision);
    const seen: number[] = [];
    const client = await open("ann");
    await client.tools.call("ask", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1]);
  },
);

it("each of many callers at once is asked its own question", async () => {
  const { open } = await serve("2025-11-25");
  const users = Array.from({ length: 12 }, (_, n) => `user${n}`);
  const clients = await Promise.all(users.map(open));
  const answers = await Promise.all(
    clients.flatMap((client) => [client.tools.call("ask"), client.tools.call("ask")]),
  );
  expect(answers.map(({ content }) => content)).toMatchObject(
    users.flatMap((user) => [[{ text: user }], [{ text: user }]]),
  );
});

it("beyond the limit of connections a caller is told to come back, and the others go on", async () => {
  const { bridge, url, open } = await serve("2025-11-25", { maxConnections: 1 });
  const [ann, bob] = [await open("ann"), await open("bob")];
  const first = await ann.tools.call("ask", {}, { rounds: "manual" });
  const refused = await callNewest(url, "ask", {}, { headers: { "x-user": "bob" } });
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
  const [key = ""] = Object.keys(first.inputRequests ?? {});
  const inputResponses = { [key]: { action: "decline" } };
  await ann.tools.call("ask", {}, { rounds: "manual", requestState: first.requestState, inputResponses });
  while (bridge.running > 0) await turns(1);
  expect((await bob.tools.call("ask")).content).toMatchObject([{ text: "bob" }]);
});

/** A bridge over HTTP before an HTTP server, for clients of sessions. */
async function serveOverHttp(server: Server, options: BridgeOptions = {}) {
  const upstream = await serveHttp(server);
  const bridge = await openBridge(upstream.url, options);
  const running = await serveHttp(bridge.server, {
    identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
  });
  onTestFinished(async () => {
    await running.close(0);
    await bridge.close();
    await upstream.close(0);
  });
  const open = async (user: string, more: ConnectOptions = {}) => {
    const client = await connect(running.url, {
      headers: { "x-user": user },
      revisions: ["2025-11-25"],
      ...more,
    });
    onTestFinished(() => client.close());
    return client;
  };
  return { bridge, open };
}

/** A server of sessions whose calls wait for each other, then log and ask. */
function createMeeting(callers: number) {
  const server = createServer({ name: "meeting", version: "1", revisions: ["2025-11-25"] });
  let waiting = 0;
  let meet = () => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  server.tool("meet", { input: z.object({ name: z.string() }) }, async ({ name }, ctx) => {
    if (++waiting === callers) meet();
    await met;
    await ctx.log("warning", `log of ${name}`);
    if (ctx.client.capabilities.elicitation === undefined) return name;
    const { content } = await ctx.elicit(`Who is ${name}?`, z.object({ answer: z.string() }));
    return `${content?.answer}`;
  });
  return server;
}

it.each(["per-principal", "shared"] as const)(
  "calls of several sessions at once are asked and logged each for itself, with isolation %s",
  async (isolation) => {
    const { open } = await serveOverHttp(createMeeting(4), { isolation });
    const users = ["ann", "ann", "bob", "bob"];
    const answers = await Promise.all(
      users.map(async (user, index) => {
        const name = `${user}${index}`;
        const logs: unknown[] = [];
        const asked: string[] = [];
        const client = await open(user, {
          onLog: ({ data }) => logs.push(data),
          elicit: ({ message }) => {
            asked.push(message);
            return { action: "accept", content: { answer: name } };
          },
        });
        await client.setLogLevel("debug");
        const { content } = await client.tools.call("meet", { name });
        return { name, content, logs, asked };
      }),
    );
    for (const { name, content, logs, asked } of answers) {
      expect(content).toMatchObject([{ text: name }]);
      expect(asked).toEqual([`Who is ${name}?`]);
      expect(logs).toEqual([`log of ${name}`]);
    }
  },
);

it("over one shared connection, a log message goes with the call that it came with", async () => {
  const { bridge, open } = await serveOverHttp(createMeeting(2), { isolation: "shared" });
  const logsOf = async (user: string) => {
    const logs = new Queue<unknown>();
    const client = await open(user, { onLog: ({ data }) => logs.push(data) });
    await client.setLogLevel("debug");
    await client.tools.call("meet", { name: user });
    return [await logs.next(), ...logs.drain()];
  };
  expect(await Promise.all([logsOf("ann"), logsOf("bob")])).toEqual([["log of ann"], ["log of bob"]]);
  expect(bridge.running).toBe(0);
});

it("where the wire does not tell, a log message of two principals' calls reaches nobody", async () => {
  const bridge = await openBridge(createMeeting(2), { isolation: "shared" });
  onTestFinished(() => bridge.close());
  const running = await serveHttp(bridge.server, {
    identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
  });
  onTestFinished(() => running.close(0));
  const logs: unknown[] = [];
  const call = async (user: string) => {
    const client = await connect(running.url, {
      headers: { "x-user": user },
      revisions: ["2025-11-25"],
      onLog: ({ data }) => logs.push(data),
    });
    onTestFinished(() => client.close());
    await client.setLogLevel("debug");
    return client.tools.call("meet", { name: user });
  };
  await Promise.all([call("ann"), call("bob")]);
  expect(logs).toEqual([]);
});

it("the principal with the most connections makes room for another, and loses the one that it used longest ago", async () => {
  const { bridge, open } = await serve("2025-11-25", { maxConnections: 3, isolation: "per-principal" });
  const [ann, bob] = [await open("ann"), await open("bob")];
  const begin = () => ann.tools.call("ask", {}, { rounds: "manual" });
  const begun = [await begin(), await begin(), await begin()];
  expect(bridge.running).toBe(3);
  expect((await bob.tools.call("ask")).content).toMatchObject([{ text: "bob" }]);
  const outcomes: (string | undefined)[] = [];
  for (const { inputRequests = {}, requestState } of begun) {
    const [key = ""] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { secret: "kept" } } };
    const { content } = await ann.tools.call("ask", {}, { rounds: "manual", requestState, inputResponses });
    outcomes.push(content[0]?.type === "text" ? content[0].text : undefined);
  }
  expect(outcomes.slice(1)).toEqual(["kept", "kept"]);
  expect(outcomes[0]).toContain("is gone");
});

it("capabilities that let a server ask nothing more make no further connections", async () => {
  const started = new Set<string>();
  const server = createServer({ name: "counted", version: "1", revisions: ["2025-11-25"] });
  server.use((call, next) => {
    if (call.method === "tools/call") started.add(JSON.stringify(call.client?.capabilities ?? {}));
    return next();
  });
  server.tool("hi", {}, () => "hi");
  const bridge = await openBridge(server, { isolation: "shared" });
  onTestFinished(() => bridge.close());
  for (let variant = 0; variant < 20; variant++) {
    const client = await connect(bridge.server, {
      elicit: () => ({ action: "decline" }),
      capabilities: {
        elicitation: { form: { [`x${variant}`]: {} } },
        experimental: { [`y${variant}`]: {} },
      },
    });
    await client.tools.call("hi");
    await client.close();
  }
  expect(started.size).toBe(1);
});
