import { describe, expect, test } from "vitest";
import { connect, type Progress } from "../../src/client.ts";
import type { Change } from "../../src/contract/server-event.ts";
import { createServer, tool } from "../../src/index.ts";
import type { RevisionName } from "../../src/protocol/negotiate.ts";
import { revisions as allRevisions } from "../../src/protocol/revisions/index.ts";
import { openClient } from "../support/open-client.ts";
import { discoverServer, handshakeServer, silence, type Wire } from "../support/scripted-server.ts";
import { turns } from "../support/turns.ts";

const revisions: RevisionName[] = ["2026-07-28", "2025-11-25", "2024-11-05"];

function inner() {
  const server = createServer({
    name: "inner",
    version: "1",
    tools: [
      tool("count", {}, async (_, ctx) => {
        await ctx.progress(1, 2, "one");
        await ctx.progress(2, 2, "two");
        return `trace ${ctx.meta.traceparent}, client ${ctx.client.info?.name}`;
      }),
      tool("wait", {}, (_, ctx) => {
        return new Promise((_resolve, reject) => {
          ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason));
        });
      }),
    ],
  });
  server.resource("file:///a", { name: "a" }, () => "alpha");
  server.prompt("greet", {}, () => "hello");
  return server;
}

/** A client of a server that has mounted a client of another server. */
async function throughMount(innerRevision: RevisionName, outerRevision: RevisionName) {
  const upstream = inner();
  const mounted = await openClient(upstream, {
    revisions: [innerRevision],
    info: { name: "gate", version: "1" },
  });
  const outer = createServer({ name: "outer", version: "1" });
  outer.mount("in", mounted);
  const client = await openClient(outer, { revisions: [outerRevision] });
  return { upstream, client };
}

describe.each(revisions)("a client of %s mounted under a server", (innerRevision) => {
  describe.each(revisions)("that speaks %s", (outerRevision) => {
    test("offers what its server has", async () => {
      const { client } = await throughMount(innerRevision, outerRevision);
      expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(["in_count", "in_wait"]);
      expect((await client.prompts.list().all()).map(({ name }) => name)).toEqual(["in_greet"]);
      expect((await client.resources.list().all()).map(({ uri }) => uri)).toEqual(["file:///a"]);
      expect((await client.resources.read("file:///a")).contents).toMatchObject([{ text: "alpha" }]);
      expect((await client.prompts.get("in_greet")).messages).toMatchObject([{ content: { text: "hello" } }]);
    });

    test("passes progress to the caller, and the caller's metadata to the server", async () => {
      const { client } = await throughMount(innerRevision, outerRevision);
      const seen: Progress[] = [];
      const result = await client.tools.call(
        "in_count",
        {},
        { onProgress: (progress) => seen.push(progress), meta: { traceparent: "00-1" } },
      );
      expect(result.content).toMatchObject([{ text: "trace 00-1, client gate" }]);
      expect(seen.map(({ progress }) => progress)).toEqual([1, 2]);
    });

    test("passes on that the caller cancels", async () => {
      const { client } = await throughMount(innerRevision, outerRevision);
      const abort = new AbortController();
      const call = client.tools.call("in_wait", {}, { signal: abort.signal });
      abort.abort();
      await expect(call).rejects.toMatchObject({ code: "cancelled" });
    });
  });

  test("tells of changes", async () => {
    const upstream = inner();
    const mounted = await openClient(upstream, { revisions: [innerRevision] });
    const outer = createServer({ name: "outer", version: "1" });
    outer.mount("in", mounted);
    const client = await openClient(outer, { revisions: ["2025-11-25"] });
    await client.ping();
    const heard: Change[] = [];
    client.onChange((change) => heard.push(change));
    // The subscription upstream may not be open yet.
    for (let late = 0; heard.length === 0; late++) {
      upstream.tool(`late${late}`, "A tool that came later", () => "hi");
      await turns(1);
    }
    expect(heard[0]).toEqual({ kind: "tools" });
  });

  test("updates of an upstream resource reach those who subscribed here", async () => {
    const upstream = createServer({ name: "up", version: "1" });
    upstream.resource("up://r", {}, () => "");
    const between = createServer({ name: "between", version: "1" });
    between.mount("up", await connect(upstream));
    const client = await connect(between);
    const heard: Change[] = [];
    client.onChange((change) => {
      if (change.kind === "resource") heard.push(change);
    });
    await client.subscribe({ resources: ["up://r"] });
    // The subscription upstream may not be open yet.
    while (heard.length === 0) {
      void upstream.resources.updated("up://r");
      await turns(1);
    }
    expect(heard[0]).toEqual({ kind: "resource", uri: "up://r" });
  });
});

describe("what a mount asks of its client", () => {
  const [newest] = allRevisions;
  const call = (method: string, params: object) =>
    ({
      id: 1,
      method,
      params,
      revision: newest,
      client: { capabilities: {} },
      signal: new AbortController().signal,
      notify: async () => {},
    }) as Wire;

  test("resources are subscribed to in the words of the revision that the client speaks", async () => {
    const listening = discoverServer({
      script: {
        "subscriptions/listen": ({ notifications }: Wire, line, { id }) => {
          const _meta = { "io.modelcontextprotocol/subscriptionId": id };
          line.notify("notifications/subscriptions/acknowledged", { notifications, _meta });
          return silence;
        },
      },
    });
    const mount = (await openClient(listening))["~mount"]();
    const stop = mount.onChange(() => {});
    await mount.watch?.("file:///a");
    await mount.watch?.("file:///a");
    const watched = listening.line
      .paramsOf("subscriptions/listen")
      .filter(({ notifications }: Wire) => notifications.resourceSubscriptions);
    expect(watched).toMatchObject([{ notifications: { resourceSubscriptions: ["file:///a"] } }]);
    stop();
    await listening.line.saw("notifications/cancelled");
  });

  test("changes of lists are asked for where they do not come by themselves", async () => {
    const listening = discoverServer({ script: { "subscriptions/listen": () => silence } });
    const mount = (await openClient(listening))["~mount"]();
    mount.onChange(() => {});
    const { params } = await listening.line.saw("subscriptions/listen");
    expect(params.notifications).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    });
  });

  test("who called stays with the server that was called", async () => {
    const server = handshakeServer("2025-11-25", { script: { "tools/call": () => ({ content: [] }) } });
    const mount = (await openClient(server))["~mount"]();
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "caller", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
      "io.modelcontextprotocol/logLevel": "debug",
      progressToken: 7,
      traceparent: "00-1",
    };
    await mount.request(call("tools/call", { name: "x", arguments: { a: 1 }, _meta }));
    const [params] = server.line.paramsOf("tools/call");
    expect(params).toEqual({
      name: "x",
      arguments: { a: 1 },
      _meta: { traceparent: "00-1", progressToken: expect.any(Number) },
    });
  });

  test("a tool needs the consent of the client's host", async () => {
    const upstream = createServer({ name: "inner", version: "1", tools: [tool("x", {}, () => "ran")] });
    const mounted = await connect(upstream, { consent: () => false });
    const mount = mounted["~mount"]();
    await expect(mount.request(call("tools/call", { name: "x" }))).rejects.toMatchObject({
      code: "consent-refused",
    });
    await mounted.close();
  });
});

test("a mounted client subscribes to nothing of a server whose lists never change", async () => {
  const capabilities = { tools: { listChanged: false }, resources: {} };
  const upstream = discoverServer({ capabilities, script: { "tools/list": () => ({ tools: [] }) } });
  const outer = createServer({ name: "outer", version: "1" });
  outer.mount("in", await openClient(upstream));
  const client = await openClient(outer);
  await client.tools.list().all();
  expect(upstream.line.methods()).toEqual(["server/discover", "tools/list"]);
});
