// Two principals at one gateway, of whom one tries to see or to touch what belongs to the other.
import { createServer, RpcError, type Server } from "allspeak";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { type GatewayOptions, openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openSession } from "../support/http/raw-session.ts";
import { Queue } from "../support/queue.ts";
import { handshakeServer, type Line } from "../support/scripted-server.ts";
import { turns } from "../support/turns.ts";

type Revision = "2025-11-25" | "2026-07-28";

/** A server whose calls meet, so that they run at the same time, and then use everything that reaches a caller. */
function createMeeting(revision: Revision, callers: number) {
  const server = createServer({ name: "meeting", version: "1", revisions: [revision] });
  let waiting = 0;
  let meet = () => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  server.tool("meet", { input: z.object({ name: z.string() }) }, async ({ name }, ctx) => {
    if (++waiting === callers) meet();
    await met;
    await ctx.log("warning", `log of ${name}`);
    await ctx.progress(1, 2, `progress of ${name}`);
    const { content } = await ctx.elicit("who", `Who is ${name}?`, z.object({ answer: z.string() }));
    const { text } = await ctx.sample("model", {
      maxTokens: 10,
      messages: [{ role: "user", content: { type: "text", text: name } }],
    });
    const roots = await ctx.roots();
    return [content?.answer, text, ...roots.map(({ uri }) => uri)].join();
  });
  return server;
}

/** A server whose calls stay open until they are aborted or let go. */
function createOpenEnded(revision: Revision) {
  const started = new Queue<string>();
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const server = createServer({ name: "open", version: "1", revisions: [revision] });
  const wait = async (signal: AbortSignal) => {
    started.push("started");
    await Promise.race([released, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    return signal.aborted ? "cancelled" : "done";
  };
  server.tool("wait", {}, (_, { signal }) => wait(signal));
  server.tool("task", { task: "required", pollIntervalMs: 50 }, (_, { signal }) => wait(signal));
  server.tool("ask", {}, async (_, ctx) => {
    const { content } = await ctx.elicit("who", "Who?", z.object({ answer: z.string() }));
    return `${content?.answer}`;
  });
  return { server, started, letGo };
}

async function serve(server: Server, options: Omit<GatewayOptions, "servers"> = {}) {
  const gateway = await openGateway({ ...options, servers: { s: server }, onProblem: () => {} });
  const running = await serveHttp(gateway.server, {
    identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
  });
  onTestFinished(async () => {
    await running.close(0);
    await gateway.close();
  });
  const open = async (user: string, more: ConnectOptions = {}): Promise<Client> => {
    const client = await connect(running.url, { headers: { "x-user": user }, tasks: true, ...more });
    onTestFinished(() => client.close());
    return client;
  };
  return { url: running.url, open };
}

describe.each(["2025-11-25", "2026-07-28"] as const)("before a server of %s", (upstream) => {
  it.each([
    ["per-session", "2025-11-25"],
    ["per-session", "2026-07-28"],
    ["per-principal", "2025-11-25"],
    ["per-principal", "2026-07-28"],
    ["shared", "2025-11-25"],
    ["shared", "2026-07-28"],
  ] as const)(
    "with isolation %s, callers of %s see only their own questions, progress and logs",
    async (isolation, revision) => {
      const { open } = await serve(createMeeting(upstream, 2), { isolation });
      const outcomes = await Promise.all(
        ["ann", "bob"].map(async (name) => {
          const seen: unknown[] = [];
          const client = await open(name, {
            revisions: [revision],
            onLog: ({ data }) => seen.push(data),
            elicit: ({ message }) => {
              seen.push(message);
              return { action: "accept", content: { answer: name } };
            },
            sample: ({ messages }) => {
              seen.push(JSON.stringify(messages));
              return { role: "assistant", model: "m", content: { type: "text", text: `model of ${name}` } };
            },
            roots: [`file:///${name}`],
          });
          await client.setLogLevel("debug");
          const { content } = await client.tools.call(
            "s__meet",
            { name },
            { onProgress: ({ message }) => seen.push(message) },
          );
          return { name, content, seen };
        }),
      );
      for (const { name, content, seen } of outcomes) {
        expect(content).toMatchObject([{ text: `${name},model of ${name},file:///${name}` }]);
        expect(seen).toContain(`Who is ${name}?`);
        expect(JSON.stringify(seen)).not.toContain(name === "ann" ? "bob" : "ann");
      }
    },
  );

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "a task of one caller is unknown to another, by clients of %s",
    async (revision) => {
      const { server, started, letGo } = createOpenEnded(upstream);
      const { open } = await serve(server, { isolation: "shared" });
      const [ann, bob] = [
        await open("ann", { revisions: [revision] }),
        await open("bob", { revisions: [revision] }),
      ];
      const ids = new Queue<string>();
      const call = ann.tools.call("s__task", {}, { task: true, onTask: ({ taskId }) => ids.push(taskId) });
      const id = await ids.next();
      await started.next();
      const unknown = { wireCode: -32602 };
      await expect(bob.tasks.get(id)).rejects.toMatchObject(unknown);
      await expect(bob.tasks.cancel(id)).rejects.toMatchObject(unknown);
      await expect(bob.request("tasks/get", { taskId: id })).rejects.toMatchObject(unknown);
      if (revision === "2025-11-25") {
        await expect(bob.request("tasks/result", { taskId: id })).rejects.toMatchObject(unknown);
        expect(await bob.request("tasks/list", {})).toMatchObject({ tasks: [] });
        expect(await ann.request("tasks/list", {})).toMatchObject({ tasks: [{ taskId: id }] });
      } else {
        const update = { taskId: id, inputResponses: { q1: { action: "accept", content: {} } } };
        await expect(bob.request("tasks/update", update)).rejects.toMatchObject(unknown);
      }
      letGo();
      expect((await call).content).toMatchObject([{ text: "done" }]);
    },
  );

  it("a call can't be cancelled from another session by a guessed id", async () => {
    const { server, started, letGo } = createOpenEnded(upstream);
    const { url } = await serve(server, { isolation: "shared" });
    const open = (user: string) => openSession(url, "2025-11-25", { headers: { "x-user": user } });
    const [ann, bob] = [await open("ann"), await open("bob")];
    const answer = ann.call("s__wait", {}, { id: "guessed" });
    await started.next();
    for (const requestId of ["guessed", ...Array.from({ length: 20 }, (_, id) => id)])
      await (await bob.notify("notifications/cancelled", { requestId })).text();
    letGo();
    expect(await (await answer).result()).toMatchObject({ result: { content: [{ text: "done" }] } });
  });

  it("a question can't be answered from another session by a guessed id", async () => {
    const { server } = createOpenEnded(upstream);
    const { url } = await serve(server, { isolation: "shared" });
    const capabilities = { elicitation: {} };
    const open = (user: string) =>
      openSession(url, "2025-11-25", { headers: { "x-user": user }, capabilities });
    const [ann, bob] = [await open("ann"), await open("bob")];
    const events = (await ann.call("s__ask")).events();
    const question = await events.message();
    expect(question).toMatchObject({ method: "elicitation/create" });
    const forged = { action: "accept", content: { answer: "forged" } };
    await (await bob.answer(question?.id, forged)).text();
    await (await ann.answer(question?.id, { action: "accept", content: { answer: "mine" } })).text();
    expect(await events.message()).toMatchObject({ result: { content: [{ text: "mine" }] } });
  });
});

it("an update of a resource reaches only those who subscribed to it", async () => {
  const server = createServer({ name: "notes", version: "1" });
  for (const name of ["ann", "bob"]) server.resource(`note://${name}`, { name }, () => name);
  const { open } = await serve(server, { isolation: "shared" });
  const updates = { ann: new Queue<unknown>(), bob: new Queue<unknown>() };
  for (const name of ["ann", "bob"] as const) {
    const client = await open(name);
    await client.subscribe({ resources: [`note://${name}`] }, (change) => updates[name].push(change));
  }
  let isUpdated = false;
  const first = updates.ann.next().finally(() => {
    isUpdated = true;
  });
  for (; !isUpdated; await turns(1)) await server.resources.updated("note://ann");
  expect(await first).toEqual({ kind: "resource", uri: "note://ann" });
  expect(updates.bob.drain()).toEqual([]);
});

it("the end of a visit reaches only the session whose connection it came over, though others have its id", async () => {
  const lines = new Map<string, Line>();
  const elicitations = [{ mode: "url", elicitationId: "1", url: "https://shop.example/", message: "Pay." }];
  const shop = handshakeServer("2025-11-25", {
    script: {
      "tools/list": () => ({ tools: [{ name: "pay", inputSchema: { type: "object" } }] }),
      "tools/call": (params, line) => {
        lines.set(params.arguments.name, line);
        throw new RpcError(-32042, "Visit a page.", { elicitations });
      },
    },
  });
  const gateway = await openGateway({ servers: { shop: shop.transport }, onProblem: () => {} });
  onTestFinished(() => gateway.close());
  const visit = async (name: string) => {
    const ends = new Queue<string>();
    const client = await connect(gateway.server, {
      revisions: ["2025-11-25"],
      elicit: () => ({ action: "accept" }),
      onNotification: (method, { elicitationId }) =>
        method === "notifications/elicitation/complete" && ends.push(String(elicitationId)),
    });
    onTestFinished(() => client.close());
    await expect(client.tools.call("shop__pay", { name })).rejects.toMatchObject({ wireCode: -32042 });
    return { client, ends };
  };
  const [ann, bob] = [await visit("ann"), await visit("bob")];
  lines.get("ann")?.notify("notifications/elicitation/complete", { elicitationId: "1" });
  expect(await ann.ends.next()).toBe("1");
  await bob.client.ping();
  expect(bob.ends.drain()).toEqual([]);
});
