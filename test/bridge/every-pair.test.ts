import { createServer, type Server } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { Queue } from "../support/queue.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
type RevisionName = (typeof revisions)[number];

/** Whether a revision knows elicitation. */
const elicits = (revision: RevisionName) => !["2024-11-05", "2025-03-26"].includes(revision);

function createUpstream(revision: RevisionName): Server {
  const server = createServer({
    name: "upstream",
    version: "3.2.1",
    instructions: "Be kind.",
    revisions: [revision],
  });
  server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
  server.tool("greet", {}, async (_, ctx) => {
    const { action, content } = await ctx.elicit("Who are you?", z.object({ name: z.string() }));
    return `${action} ${content?.name}`;
  });
  server.tool("think", {}, async (_, ctx) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "2 + 2?" } }];
    const { text } = await ctx.sample({ messages, maxTokens: 10 });
    const roots = await ctx.roots();
    return `${text} in ${roots.map(({ uri }) => uri).join()}`;
  });
  server.tool("count", {}, async (_, ctx) => {
    for (const progress of [1, 2, 3]) await ctx.progress(progress, 3);
    await ctx.log("warning", "counted");
    return "done";
  });
  server.tool("wait", {}, async (_, ctx) => {
    waiting.push("begun");
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
    waiting.push("stopped");
    return "";
  });
  server.tool("refuse", {}, () => ({ isError: true, content: [{ type: "text", text: "no" }] }));
  server.prompt("hello", { args: z.object({ to: z.string() }) }, ({ to }) => `Hello ${to}`);
  server.resource("note://one", { name: "one" }, () => "first note");
  return server;
}

/** What the tool that waits tells of itself. */
const waiting = new Queue<"begun" | "stopped">();

const host: ConnectOptions = {
  elicit: () => ({ action: "accept", content: { name: "Ann" } }),
  sample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "four" } }),
  roots: ["file:///work"],
};

describe.each(revisions)("a server of %s behind a bridge", (upstream) => {
  const source = createUpstream(upstream);
  let bridge: Awaited<ReturnType<typeof openBridge>>;
  let url: string;
  beforeAll(async () => {
    bridge = await openBridge(source);
    const running = await serveHttp(bridge.server);
    url = running.url;
    afterAll(async () => {
      await running.close(0);
      await bridge.close();
    });
  });

  describe.each(revisions)("for a client of %s", (revision) => {
    async function open(options: ConnectOptions = host): Promise<Client> {
      const target = revision === "2024-11-05" ? new URL("/sse", url) : url;
      const client = await connect(target, { ...options, revisions: [revision] });
      onTestFinished(() => client.close());
      return client;
    }
    const textOf = async (client: Client, tool: string, args = {}) => {
      const { content } = await client.tools.call(tool, args);
      return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
    };

    it("describes itself as the server behind it, and offers the same", async () => {
      const client = await open();
      expect(client.server.info).toMatchObject({ name: "upstream", version: "3.2.1" });
      expect(client.server.instructions).toBe("Be kind.");
      expect((await client.tools.list().all()).map(({ name }) => name)).toEqual([
        "add",
        "greet",
        "think",
        "count",
        "wait",
        "refuse",
      ]);
      expect(await textOf(client, "add", { a: 2, b: 3 })).toBe("5");
      expect(await client.tools.call("refuse")).toMatchObject({ isError: true });
      expect((await client.prompts.get("hello", { to: "Bo" })).messages).toMatchObject([
        { content: { text: "Hello Bo" } },
      ]);
      expect((await client.resources.read("note://one")).contents).toMatchObject([{ text: "first note" }]);
    });

    it("carries questions to the client and its answers back", async () => {
      const client = await open();
      if (elicits(upstream) && elicits(revision)) expect(await textOf(client, "greet")).toBe("accept Ann");
      expect(await textOf(client, "think")).toBe("four in file:///work");
    });

    it("carries progress and logs", async () => {
      const logs = new Queue<unknown>();
      const seen: number[] = [];
      const client = await open({ ...host, onLog: ({ data }) => logs.push(data) });
      await client.setLogLevel("debug");
      await client.tools.call("count", {}, { onProgress: ({ progress }) => seen.push(progress) });
      expect(seen.at(-1)).toBe(3);
      expect(await logs.next()).toBe("counted");
    });

    it("carries a cancellation", async () => {
      const client = await open();
      const stop = new AbortController();
      const call = client.tools.call("wait", {}, { signal: stop.signal });
      expect(await waiting.next()).toBe("begun");
      stop.abort();
      await expect(call).rejects.toThrow();
      expect(await waiting.next()).toBe("stopped");
    });
  });
});
