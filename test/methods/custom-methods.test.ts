import {
  type AuditEntry,
  audit,
  type Context,
  createServer,
  NotInRevisionError,
  RpcError,
  scopes,
  tool,
  UsageError,
} from "allspeak";
import { connect, requestHandler } from "allspeak/client";
import { expect, test } from "vitest";
import { z } from "zod";
import { reachInProcess } from "../matrix/in-process.ts";
import { describeMatrix, revisionNames } from "../matrix/matrix.ts";
import { turns } from "../support/turns.ts";

const extension = "com.acme/reports";
const declared = { capabilities: { extensions: { [extension]: {} } } };

function createAcme(heard: unknown[] = []) {
  const asking = tool("asking", { description: "Asks by a custom method" }, async (_args, ctx) => {
    const { answer } = await ctx.request("acme/ask", { question: "why?" });
    return String(answer);
  });
  const ticking = tool("ticking", { description: "Notifies by a custom method" }, async (_args, ctx) => {
    await ctx.notify("acme/tick", { count: 1 });
    return "ticked";
  });
  const server = createServer({ name: "acme", version: "1", tools: [asking, ticking], log: () => {} });
  const params = z.object({ id: z.string(), year: z.coerce.number().default(2026) });
  server.method("acme/report", { params, extension }, ({ id, year }, ctx) => ({
    title: `${id} ${year}`,
    by: ctx.revision,
  }));
  server.method("acme/echo", {}, (given) => given);
  server.method("acme/slow", {}, async (_params, ctx) => {
    await ctx.progress(1, 2);
    await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("gone"))));
    return {};
  });
  server.onNotification("acme/seen", { params: { id: z.string() } }, ({ id }, sender) =>
    heard.push({ id, revision: sender.revision, client: sender.client.info?.name }),
  );
  return server;
}

const acme = createAcme();

describeMatrix(
  "a custom method",
  ({ open, revision }) => {
    test("is called with checked params, and answered", async () => {
      const { client } = await open(declared);
      expect(client.server.capabilities.extensions).toHaveProperty([extension]);
      const result = await client.request("acme/report", { id: "sales", year: "2025" });
      expect(result).toMatchObject({ title: "sales 2025", by: revision });
    });

    test("refuses params that do not fit", async () => {
      const { client } = await open(declared);
      const refused = client.request("acme/report", { id: 7 });
      await expect(refused).rejects.toMatchObject({ wireCode: -32602, data: { issues: [{ path: "id" }] } });
    });

    test("is refused to a client without its extension", async () => {
      const { client } = await open();
      const wireCode = revision === "2026-07-28" ? -32021 : -32600;
      const data = { requiredCapabilities: { extensions: { [extension]: {} } } };
      await expect(client.request("acme/report", { id: "x" })).rejects.toMatchObject({ wireCode, data });
    });

    test("has nothing of its result taken away", async () => {
      const { client } = await open();
      expect(await client.request("acme/echo", { ttlMs: 5, a: [1] })).toMatchObject({ ttlMs: 5, a: [1] });
    });

    test("reports progress, and is cancelled", async () => {
      const { client } = await open();
      const stop = new AbortController();
      const onProgress = () => stop.abort();
      const slow = client.request("acme/slow", {}, { signal: stop.signal, onProgress });
      await expect(slow).rejects.toMatchObject({ code: "cancelled" });
    });

    test("is unknown where nobody has registered it", async () => {
      const { client } = await open();
      await expect(client.request("acme/none")).rejects.toMatchObject({ wireCode: -32601 });
    });

    test("is sent by a handler to the client, where servers send requests", async () => {
      const answer = requestHandler({ params: z.object({ question: z.string() }) }, ({ question }) => ({
        answer: question.toUpperCase(),
      }));
      const { client } = await open({ onRequest: { "acme/ask": answer } });
      const { content, isError } = await client.tools.call("asking");
      const text =
        revision === "2026-07-28" ? "Asking by acme/ask does not exist in revision 2026-07-28." : "WHY?";
      expect(content).toMatchObject([{ text }]);
      expect(isError ?? false).toBe(revision === "2026-07-28");
    });

    test("is sent by a handler as a notification of its call", async () => {
      const { client } = await open();
      const ticks: unknown[] = [];
      const stop = client.onNotification("acme/tick", (params) => ticks.push(params));
      await client.tools.call("ticking");
      stop();
      expect(ticks).toEqual([{ count: 1 }]);
    });
  },
  { target: (transport) => (transport === "stdio" ? acme : reachInProcess(acme, transport)) },
);

test.each(revisionNames)("a notification of the client reaches its listener in %s", async (revision) => {
  for (const transport of ["memory", "http"] as const) {
    const heard: unknown[] = [];
    const target = await reachInProcess(createAcme(heard), transport);
    const client = await connect(target, { revisions: [revision], info: { name: "host", version: "1" } });
    await client.notify("acme/seen", { id: 7 });
    await client.notify("acme/seen", { id: "a" });
    while (heard.length === 0) await turns(1);
    expect(heard).toEqual([{ id: "a", revision, client: "host" }]);
    await client.close();
  }
});

test("names of the specification, of JSON-RPC, and of no extension are refused", () => {
  const server = createServer({ name: "s", version: "1" });
  expect(() => server.method("tools/call", {}, () => ({}))).toThrow(UsageError);
  expect(() => server.method("rpc.discover", {}, () => ({}))).toThrow(UsageError);
  expect(() => server.method("acme/x", { extension: "reports" }, () => ({}))).toThrow(UsageError);
  expect(() => server.onNotification("notifications/message", {}, () => {})).toThrow(UsageError);
  server.method("acme/x", {}, () => ({}));
  expect(() => server.method("acme/x", {}, () => ({}))).toThrow("already registered");
});

test("a registration that is taken back makes the method unknown, and its extension undeclared", async () => {
  const server = createServer({ name: "s", version: "1" });
  const registration = server.method("acme/x", { extension }, () => ({ ok: true }));
  registration.remove();
  await using client = await connect(server);
  expect(client.server.capabilities.extensions).toBeUndefined();
  await expect(client.request("acme/x")).rejects.toMatchObject({ wireCode: -32601 });
});

test.each(["enabled", "access"] as const)(
  "a method is hidden by %s from a caller that may not use it",
  async (rule) => {
    const server = createServer({ name: "s", version: "1" });
    const isHost = (ctx: Context) => ctx.client.info?.name === "host";
    server.method("acme/x", { [rule]: isHost, params: { id: z.string() } }, ({ id }) => ({ id }));
    const outer = createServer({ name: "outer", version: "1" });
    outer.mount("inner", server);
    for (const target of [server, outer]) {
      await using stranger = await connect(target, { info: { name: "stranger", version: "1" } });
      await expect(stranger.request("acme/x", { id: 7 })).rejects.toMatchObject({ wireCode: -32601 });
      await using host = await connect(target, { info: { name: "host", version: "1" } });
      expect(await host.request("acme/x", { id: "a" })).toMatchObject({ id: "a" });
    }
  },
);

test("a method that needs scopes asks for those that are missing", async () => {
  const server = createServer({ name: "s", version: "1" });
  server.method("acme/x", { access: scopes("reports:read") }, () => ({}));
  await using client = await connect(server);
  await expect(client.request("acme/x")).rejects.toThrow("reports:read");
});

test("a mounted server answers its methods, inside the middlewares of both", async () => {
  const entries: AuditEntry[] = [];
  const outer = createServer({ name: "outer", version: "1" });
  outer.use(audit((entry) => entries.push(entry)));
  outer.mount("inner", createAcme());
  await using client = await connect(outer, declared);
  expect(client.server.capabilities.extensions).toHaveProperty([extension]);
  expect(await client.request("acme/report", { id: "x" })).toMatchObject({ title: "x 2026" });
  expect(entries.at(-1)).toMatchObject({ method: "acme/report", outcome: "ok" });
});

test("a result that does not fit its schema is an error of the server, which is logged", async () => {
  const log: unknown[] = [];
  const server = createServer({ name: "s", version: "1", log: (entry) => log.push(entry) });
  server.method("acme/x", { result: z.object({ n: z.number() }) }, () => ({ n: "no" }) as never);
  await using client = await connect(server);
  await expect(client.request("acme/x")).rejects.toMatchObject({ wireCode: -32603 });
  expect(log).toHaveLength(1);
});

test("a client that has no handler, or whose handler is of an extension that the server lacks, answers -32601", async () => {
  for (const onRequest of [undefined, { "acme/ask": requestHandler({ extension }, () => ({})) }]) {
    const server = createServer({ name: "s", version: "1" });
    const errors: unknown[] = [];
    server.tool("asking", "Asks", async (_args, ctx) => {
      await ctx.request("acme/ask").catch((error) => errors.push(error));
      await ctx.request("roots/list").catch((error) => errors.push(error));
      return "";
    });
    await using client = await connect(server, { revisions: ["2025-11-25"], onRequest });
    await client.tools.call("asking");
    expect(errors).toMatchObject([{ wireCode: -32601 }, { code: "usage" }]);
    expect(errors[0]).toBeInstanceOf(RpcError);
  }
});

test("a handler of the newest revision learns that it can't send requests", async () => {
  const server = createServer({ name: "s", version: "1" });
  const errors: unknown[] = [];
  server.method("acme/x", {}, async (_params, ctx) => {
    await ctx.request("acme/ask").catch((error) => errors.push(error));
  });
  await using client = await connect(server);
  await client.request("acme/x");
  expect(errors[0]).toBeInstanceOf(NotInRevisionError);
});
