import { createServer, type Server } from "allspeak";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;
type RevisionName = (typeof revisions)[number];

/** The params of the calls that reached the upstream server. */
const received = new Queue<object>();

function createUpstream(revision: RevisionName): Server {
  const server = createServer({ name: "upstream", version: "1", revisions: [revision] });
  server.tool("greet", { input: z.object({ title: z.string() }) }, async ({ title }, ctx) => {
    const { content } = await ctx.elicit(`Who are you, ${title}?`, z.object({ name: z.string() }));
    return `Hello ${title} ${content?.name}`;
  });
  server.tool("think", {}, async (_, ctx) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "2 + 2?" } }];
    const { text } = await ctx.sample({ messages, maxTokens: 10 });
    return `${text} in ${(await ctx.roots()).map(({ uri }) => uri).join()}`;
  });
  server.tool("count", {}, async (_, ctx) => {
    await ctx.progress(1, 2);
    await ctx.log("warning", "counting");
    return "done";
  });
  server.use((call, next) => {
    if (call.method === "tools/call") received.push(call.params);
    return next();
  });
  return server;
}

const hostAnswers: ConnectOptions = {
  elicit: () => ({ action: "accept", content: { name: "of the host" } }),
  sample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "the host's guess" } }),
  roots: ["file:///host"],
};

function callerAnswers(name: string): ConnectOptions {
  return {
    elicit: () => ({ action: "accept", content: { name } }),
    sample: () => ({ role: "assistant", model: "m", content: { type: "text", text: `${name}: four` } }),
    roots: [`file:///${name}`],
  };
}

async function textOf(client: Client, tool: string, args = {}): Promise<string> {
  const { content } = await client.tools.call(tool, args);
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
}

/** A server that has mounted a client under "in". */
function mountUnder(client: Client): Server {
  const server = createServer({ name: "between", version: "1" });
  server.mount("in", client);
  return server;
}

describe.each(revisions)("a client mounted over HTTP to a server of %s", (upstreamRevision) => {
  let mounted: Client;
  let between: Server;
  beforeAll(async () => {
    const running = await serveHttp(createUpstream(upstreamRevision));
    mounted = await connect(running.url, hostAnswers);
    between = mountUnder(mounted);
    afterAll(async () => {
      await mounted.close();
      await running.close(0);
    });
  });

  describe.each(revisions)("for callers of %s", (revision) => {
    const open = (options: ConnectOptions = {}) => openClient(between, { ...options, revisions: [revision] });

    test("passes on members of a request that nobody knows", async () => {
      // The schema of the specification knows no such member, so the wire is not checked against it.
      const caller = await connect(between, { revisions: [revision] });
      onTestFinished(() => caller.close());
      received.drain();
      await caller.request(
        "tools/call",
        { name: "in_count", arguments: {}, "acme/priority": 3 },
        { meta: { "acme/tenant": "blue" } },
      );
      expect(await received.next()).toMatchObject({
        name: "count",
        "acme/priority": 3,
        _meta: { "acme/tenant": "blue" },
      });
    });

    test("passes progress and logs to the caller", async () => {
      const logs = new Queue<unknown>();
      const seen: number[] = [];
      const caller = await open({ onLog: ({ data }) => logs.push(data) });
      await caller.setLogLevel("debug");
      await caller.tools.call("in_count", {}, { onProgress: ({ progress }) => seen.push(progress) });
      expect(await logs.next()).toBe("counting");
      expect(seen).toEqual([1]);
    });

    test("asks the caller whose call raised the question", async () => {
      const ann = await open(callerAnswers("ann"));
      const bob = await open(callerAnswers("bob"));
      const greetings = [textOf(ann, "in_greet", { title: "Dr" }), textOf(bob, "in_greet", { title: "Sir" })];
      expect(await Promise.all(greetings)).toEqual(["Hello Dr ann", "Hello Sir bob"]);
      expect(await textOf(bob, "in_think")).toBe("bob: four in file:///bob");
    });

    test("asks neither the host nor anybody else for a caller that can't be asked", async () => {
      const caller = await open();
      const call = caller.tools.call("in_greet", { title: "Dr" });
      const outcome = await call.then((result) => JSON.stringify(result), String);
      expect(outcome).not.toContain("of the host");
      expect(outcome).toMatch(/needs the capability \\?"elicitation/);
    });
  });

  test("asks the host about the host's own calls", async () => {
    expect(await textOf(mounted, "greet", { title: "Dr" })).toBe("Hello Dr of the host");
    expect(await textOf(mounted, "think")).toBe("the host's guess in file:///host");
  });
});

describe("a client mounted over a pipe, which does not say what a question is about", () => {
  test("refuses the question, and names the bridge", async () => {
    const problems: Error[] = [];
    const mounted = await openClient(createUpstream("2025-11-25"), {
      ...hostAnswers,
      onProblem: (problem) => problems.push(problem),
    });
    const caller = await openClient(mountUnder(mounted), callerAnswers("ann"));
    const outcome = await caller.tools.call("in_greet", { title: "Dr" }).then(JSON.stringify, String);
    expect(outcome).not.toMatch(/ann|of the host/);
    expect(problems).toMatchObject([{ message: expect.stringContaining("mount a bridge (openBridge)") }]);
  });

  test("still passes logs, if the callers are one principal", async () => {
    const logs = new Queue<unknown>();
    const mounted = await openClient(createUpstream("2025-11-25"));
    const caller = await openClient(mountUnder(mounted), { onLog: ({ data }) => logs.push(data) });
    await caller.setLogLevel("debug");
    await caller.tools.call("in_count");
    expect(await logs.next()).toBe("counting");
  });
});
