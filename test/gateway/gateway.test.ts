import { audit, createServer, link, type Server } from "allspeak";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { type Gateway, type GatewayAuditEntry, type GatewayOptions, openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { namedServer, plainEntry } from "../host/fixtures/servers.ts";
import { Queue } from "../support/queue.ts";
import { turns } from "../support/turns.ts";

async function openTestGateway(options: GatewayOptions): Promise<Gateway & { readonly problems: Error[] }> {
  const problems: Error[] = [];
  const gateway = await openGateway({ onProblem: (problem) => problems.push(problem), ...options });
  onTestFinished(() => gateway.close());
  return Object.assign(gateway, { problems });
}

async function open(gateway: Gateway, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(gateway.server, options);
  onTestFinished(() => client.close());
  return client;
}

async function textOf(client: Client, tool: string, args = {}): Promise<string> {
  const { content } = await client.tools.call(tool, args);
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
}

const namesOf = async (client: Client) => (await client.tools.list().all()).map(({ name }) => name);

describe("names", () => {
  test("equal names of two servers stay apart, and each leads back to its server", async () => {
    const gateway = await openTestGateway({
      servers: { a: namedServer("a", "read", "b__read"), a_b: namedServer("a_b", "read") },
    });
    const client = await open(gateway);
    expect(await namesOf(client)).toEqual(["a__read", "a__b__read", "a_b__read"]);
    expect(await textOf(client, "a__read", { x: 1 })).toBe('a read {"x":1}');
    expect(await textOf(client, "a__b__read")).toBe("a b__read {}");
    expect(await textOf(client, "a_b__read")).toBe("a_b read {}");
    expect(gateway.find("a__b__read")).toEqual({ server: "a", tool: "b__read" });
  });

  test("servers and tools may have the names of what every object has", async () => {
    const servers = Object.fromEntries(
      ["constructor", "__proto__", "toString"].map((name) => [name, namedServer(name, "constructor")]),
    );
    const client = await open(await openTestGateway({ servers }));
    for (const name of await namesOf(client)) expect(await textOf(client, name)).toContain("constructor {}");
    expect(await namesOf(client)).toHaveLength(3);
  });

  test("a tool is called by its name although the tools were not listed before", async () => {
    const client = await open(await openTestGateway({ servers: { a: namedServer("a", "read") } }));
    expect(await textOf(client, "a__read")).toBe("a read {}");
    await expect(client.tools.call("a__other")).rejects.toThrow("Unknown tool: a__other");
  });

  test("prompts are renamed, and completed under their names", async () => {
    const a = createServer({ name: "a", version: "1" });
    a.prompt(
      "hello",
      { args: z.object({ to: z.string() }), complete: { to: () => ["Ann"] } },
      ({ to }) => `Hi ${to}`,
    );
    const client = await open(await openTestGateway({ servers: { a, b: namedServer("b", "read") } }));
    expect((await client.prompts.list().all()).map(({ name }) => name)).toEqual(["a__hello"]);
    const { messages } = await client.prompts.get("a__hello", { to: "Bo" });
    expect(messages).toMatchObject([{ content: { text: "Hi Bo" } }]);
    const ref = { type: "ref/prompt", name: "a__hello" } as const;
    expect((await client.complete(ref, { name: "to", value: "" })).values).toEqual(["Ann"]);
    await expect(client.prompts.get("b__hello")).rejects.toThrow("Unknown prompt");
  });

  test("a resource is read from the first server that lists it, from its template, or from whoever linked to it", async () => {
    const a = createServer({ name: "a", version: "1" });
    a.resource("note://one", { name: "one" }, () => "of a");
    const b = createServer({ name: "b", version: "1" });
    b.resource("note://one", { name: "one" }, () => "of b");
    b.resource("note://b/{id}", { name: "each" }, ({ id }) => `b ${id}`);
    const c = createServer({ name: "c", version: "1", capabilities: { resources: {} } });
    c.tool("make", {}, () => link("made://1", { name: "made" }));
    c.use((call, next) =>
      call.params.uri === "made://1" ? { contents: [{ uri: "made://1", text: "made" }] } : next(),
    );
    const client = await open(await openTestGateway({ servers: { a, b, c } }));
    const read = async (uri: string) => (await client.resources.read(uri)).contents[0];
    expect((await client.resources.list().all()).map(({ uri }) => uri)).toEqual(["note://one"]);
    expect(await read("note://one")).toMatchObject({ text: "of a" });
    expect(await read("note://b/7")).toMatchObject({ text: "b 7" });
    await expect(read("made://1")).rejects.toMatchObject({ wireCode: -32602 });
    await client.tools.call("c__make");
    expect(await read("made://1")).toMatchObject({ text: "made" });
  });

  test("a resource that several servers list is reported once, with the server whose is left out", async () => {
    const reported: unknown[] = [];
    const sameResource = (name: string) => {
      const server = createServer({ name, version: "1" });
      server.resource("note://one", { name: "one" }, () => `of ${name}`);
      return server;
    };
    const gateway = await openTestGateway({
      servers: { a: sameResource("a"), b: sameResource("b") },
      onProblem: ({ message }, server) => reported.push([server, message]),
    });
    const client = await open(gateway);
    for (const _ of [1, 2])
      expect(await client.resources.list().all()).toMatchObject([{ uri: "note://one" }]);
    expect(reported).toEqual([["b", 'note://one of the server "b" is left out: the server "a" has it.']]);
  });

  test("a template that matches everything takes no resource of another server", async () => {
    const greedy = createServer({ name: "greedy", version: "1" });
    greedy.resource("{+any}", { name: "all" }, () => "taken");
    greedy.resource("made://{+any}", { name: "made" }, () => "taken");
    const honest = createServer({ name: "honest", version: "1", capabilities: { resources: {} } });
    honest.tool("make", {}, () => link("made://1", { name: "made" }));
    honest.use((call, next) =>
      call.params.uri === "made://1" ? { contents: [{ uri: "made://1", text: "made" }] } : next(),
    );
    const client = await open(await openTestGateway({ servers: { greedy, honest } }));
    await client.tools.call("honest__make");
    expect((await client.resources.read("made://1")).contents).toMatchObject([{ text: "made" }]);
    await expect(client.resources.read("other://1")).rejects.toThrow("other://1");
  });
});

describe("rules", () => {
  const servers = () => ({ a: namedServer("a", "read", "write", "secret"), b: namedServer("b", "read") });

  test("a tool is renamed, hidden or denied", async () => {
    const gateway = await openTestGateway({
      servers: servers(),
      tools: { a: { read: { rename: "read_a" }, write: { hide: true }, "*": { deny: true } } },
    });
    const client = await open(gateway);
    expect(await namesOf(client)).toEqual(["read_a", "b__read"]);
    expect(await textOf(client, "read_a")).toBe("a read {}");
    expect(await textOf(client, "a__write")).toBe("a write {}");
    for (const name of ["a__read", "a__secret"])
      await expect(client.tools.call(name)).rejects.toThrow(`Unknown tool: ${name}`);
    expect(gateway.find("read_a")).toEqual({ server: "a", tool: "read" });
  });

  test("a rule for a tool that its server does not list is reported once, with the name that was meant", async () => {
    const a = namedServer("a", "read", "delete_file");
    const gateway = await openTestGateway({
      servers: { a, plain: plainEntry("read") },
      tools: {
        a: { delete_fle: { deny: true } },
        plain: { raed: { hide: true } },
        plian: { read: { hide: true } },
      },
    });
    const client = await open(gateway);
    await namesOf(client);
    a.tool("more", {}, () => "more");
    await client.tools.call("a__more");
    expect(gateway.problems.map(({ message }) => message).toSorted()).toEqual([
      'The configuration has a rule for the tool "delete_fle", which the server does not list; did you mean "delete_file"?',
      'The configuration has a rule for the tool "raed", which the server does not list; did you mean "read"?',
      'The host has no server "plian"; did you mean "plain"?',
    ]);
  });

  test("a call of an unknown tool names the listed one that was meant, and none that is hidden", async () => {
    const gateway = await openTestGateway({ servers: servers(), tools: { a: { secret: { hide: true } } } });
    const client = await open(gateway);
    await expect(client.tools.call("a__raed")).rejects.toThrow(
      'Unknown tool: a__raed; did you mean "a__read"?',
    );
    await expect(client.tools.call("a__secre")).rejects.toThrow(/^Unknown tool: a__secre$/);
  });

  test("a pinned tool is held back once its definition differs, and the new hash is reported", async () => {
    const wrong = "0".repeat(64);
    const first = await openTestGateway({ servers: servers(), tools: { a: { read: { pin: wrong } } } });
    expect(await namesOf(await open(first))).toEqual(["a__write", "a__secret", "b__read"]);
    const hash = /hash ([0-9a-f]{64}) now/.exec(first.problems[0]?.message ?? "")?.[1] ?? "";
    const second = await openTestGateway({ servers: servers(), tools: { a: { read: { pin: hash } } } });
    expect(await namesOf(await open(second))).toContain("a__read");
  });

  test.each([
    [{ a: { read: { rename: "b__read" } } }, 'without "__"'],
    [{ a: { read: { rename: "x" } }, b: { read: { rename: "x" } } }, 'both renamed to "x"'],
    [{ a: { read: { renamed: "x" } } }, 'has "renamed"; use rename, hide, deny, pin'],
    [{ a: { "*": { rename: "x" } } }, "can't rename several tools"],
  ])("the rules %j are refused", async (tools, message) => {
    await expect(
      openGateway({ servers: servers(), tools: tools as GatewayOptions["tools"] }),
    ).rejects.toThrow(message);
  });
});

function createAsking(revision: "2025-11-25" | "2026-07-28"): Server {
  const server = createServer({ name: "asking", version: "1", revisions: [revision] });
  server.tool("ask", {}, async (_, ctx) => {
    await ctx.log("warning", "asking");
    await ctx.progress(1, 2);
    const { content } = await ctx.elicit("name", "Your name?", z.object({ name: z.string() }));
    const roots = await ctx.roots();
    return `${content?.name} in ${roots.map(({ uri }) => uri).join()}`;
  });
  return server;
}

describe("what crosses", () => {
  test.each([
    ["2025-11-25", "2026-07-28"],
    ["2026-07-28", "2025-11-25"],
    ["2025-11-25", "2025-11-25"],
    ["2026-07-28", "2026-07-28"],
  ] as const)(
    "questions, progress and logs, from a server of %s to a client of %s",
    async (upstream, revision) => {
      const gateway = await openTestGateway({
        servers: { asking: createAsking(upstream), other: namedServer("o", "x") },
      });
      const logs = new Queue<unknown>();
      const client = await open(gateway, {
        revisions: [revision],
        elicit: () => ({ action: "accept", content: { name: "Ann" } }),
        roots: ["file:///here"],
        onLog: ({ data }) => logs.push(data),
      });
      await client.setLogLevel("debug");
      const seen: number[] = [];
      const onProgress = ({ progress }: { progress: number }) => seen.push(progress);
      const { content } = await client.tools.call("asking__ask", {}, { onProgress });
      expect(content).toMatchObject([{ text: "Ann in file:///here" }]);
      expect(seen).toContain(1);
      expect(await logs.next()).toBe("asking");
    },
  );

  test("updates of a resource, and changes of lists", async () => {
    const a = createServer({ name: "a", version: "1" });
    a.resource("note://one", { name: "one" }, () => "one");
    a.tool("read", {}, () => "");
    const client = await open(await openTestGateway({ servers: { a } }));
    await namesOf(client);
    const [updated, listed] = [new Queue<unknown>(), new Queue<unknown>()];
    await client.subscribe({ resources: ["note://one"] }, (change) => updated.push(change));
    await client.subscribe({ tools: true }, (change) => listed.push(change));
    // The gateway subscribes at the server without keeping the caller waiting.
    let isUpdated = false;
    const first = updated.next().finally(() => {
      isUpdated = true;
    });
    for (; !isUpdated; await turns(1)) await a.resources.updated("note://one");
    expect(await first).toEqual({ kind: "resource", uri: "note://one" });
    a.tool("write", {}, () => "");
    expect(await listed.next()).toEqual({ kind: "tools" });
    expect(await namesOf(client)).toEqual(["a__read", "a__write"]);
  });

  test("cancellation", async () => {
    const told = new Queue<string>();
    const a = createServer({ name: "a", version: "1" });
    a.tool("wait", {}, async (_, ctx) => {
      told.push("begun");
      await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
      told.push("stopped");
      return "";
    });
    const client = await open(await openTestGateway({ servers: { a } }));
    const stop = new AbortController();
    const call = client.tools.call("a__wait", {}, { signal: stop.signal });
    expect(await told.next()).toBe("begun");
    stop.abort();
    await expect(call).rejects.toThrow();
    expect(await told.next()).toBe("stopped");
  });
});

describe("callers", () => {
  /** A gateway over HTTP whose callers name themselves, before a program that answers with its process. */
  async function serveProgram(options: Partial<GatewayOptions>) {
    const entries: GatewayAuditEntry[] = [];
    const gateway = await openTestGateway({
      servers: { program: plainEntry("which") },
      audit: (entry) => entries.push(entry),
      ...options,
    });
    const running = await serveHttp(gateway.server, {
      identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
    });
    onTestFinished(() => running.close(0));
    const as = async (user: string, more: ConnectOptions = {}) => {
      const client = await connect(running.url, {
        headers: { "x-user": user },
        revisions: ["2025-11-25"],
        ...more,
      });
      onTestFinished(() => client.close());
      return client;
    };
    return { as, entries };
  }

  test.each([
    ["shared", 1],
    ["per-principal", 2],
    ["per-session", 3],
  ] as const)("%s uses %i connections for three sessions of two principals", async (isolation, count) => {
    const { as } = await serveProgram({ isolation });
    const seen = new Set<string>();
    for (const client of [await as("ann"), await as("ann"), await as("bob")]) {
      seen.add(await textOf(client, "program__which"));
      seen.add(await textOf(client, "program__which"));
    }
    expect(seen.size).toBe(count);
  });

  test("consent and the audit know the caller, the server, and the tool's own name", async () => {
    const { as, entries } = await serveProgram({
      tools: { program: { which: { rename: "count" } } },
      consent: ({ principal, serverName, name }) =>
        principal?.subject === "ann" && serverName === "program" && name === "which",
    });
    const [ann, bob] = [await as("ann"), await as("bob")];
    await ann.tools.call("count");
    expect(await bob.tools.call("count")).toMatchObject({ isError: true });
    await expect(bob.tools.call("nothing".repeat(99))).rejects.toThrow(/^Unknown tool: .{256}$/);
    expect(
      entries.map(({ principal, outcome, ...rest }) => [principal?.subject, outcome, rest]),
    ).toMatchObject([
      ["ann", "ok", { name: "count", server: "program", tool: "which", client: "allspeak" }],
      ["bob", "refused", { name: "count", server: "program", tool: "which" }],
      ["bob", "refused", { name: expect.stringMatching(/^.{256}$/), server: undefined, tool: undefined }],
    ]);
    expect(entries[0]?.durationMs).toBeGreaterThan(0);
  });

  test("a restart of a server ends its connections to callers, too", async () => {
    const gateway = await openTestGateway({ servers: { program: plainEntry("which") } });
    const client = await open(gateway);
    const before = await textOf(client, "program__which");
    expect(await textOf(client, "program__which")).toBe(before);
    await gateway.servers[0]?.restart();
    expect(await textOf(client, "program__which")).not.toBe(before);
  });

  test("the audit covers prompts and resources, those that do not exist among them", async () => {
    const a = createServer({ name: "a", version: "1" });
    a.prompt("hello", {}, () => "Hi");
    a.resource("note://one", { name: "one" }, () => "note");
    const { as, entries } = await serveProgram({ servers: { a } });
    const client = await as("ann");
    await client.prompts.get("a__hello");
    await client.resources.read("note://one");
    await expect(client.prompts.get("a__other")).rejects.toThrow("Unknown prompt");
    await expect(client.resources.read("note://two")).rejects.toThrow("not found: note://two");
    expect(
      entries.map(({ kind, name, server, tool, outcome }) => [kind, name, server, tool, outcome]),
    ).toEqual([
      ["prompt", "a__hello", "a", undefined, "ok"],
      ["resource", "note://one", "a", undefined, "ok"],
      ["prompt", "a__other", undefined, undefined, "refused"],
      ["resource", "note://two", undefined, undefined, "refused"],
    ]);
    expect(entries[0]?.principal).toMatchObject({ subject: "ann" });
  });

  test.each(["2025-11-25", "2026-07-28"] as const)(
    "a task of a server of %s is a task for the caller who began it, and for nobody else",
    async (revision) => {
      const server = createServer({ name: "working", version: "1", revisions: [revision] });
      const started = new Queue<AbortSignal>();
      server.tool("work", { task: "optional", pollIntervalMs: 50 }, async (_, ctx) => {
        started.push(ctx.signal);
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        return "";
      });
      const { as } = await serveProgram({ servers: { one: namedServer("one", "read"), two: server } });
      const newest = { revisions: ["2026-07-28"], tasks: true } as const;
      const [ann, bob] = [await as("ann", newest), await as("bob", newest)];
      const taskId = await new Promise<string>((resolve, reject) => {
        const onTask = (task: { taskId: string }) => resolve(task.taskId);
        ann.tools.call("two__work", {}, { onTask }).catch(reject);
      });
      expect(await ann.tasks.get(taskId)).toMatchObject({ taskId, status: "working" });
      await expect(bob.tasks.get(taskId)).rejects.toMatchObject({ wireCode: -32602 });
      // One that is cancelled before it has started never runs.
      const signal = await started.next();
      await ann.tasks.cancel(taskId);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      expect(await ann.tasks.get(taskId)).toMatchObject({ status: "cancelled" });
    },
  );

  test("the audit log of a server covers what is read through a gateway", async () => {
    const a = createServer({ name: "a", version: "1" });
    a.resource("note://one", { name: "one" }, () => "one");
    const gateway = await openTestGateway({ servers: { a } });
    const seen: unknown[] = [];
    gateway.server.use(audit(({ method, target, outcome }) => seen.push([method, target, outcome])));
    await (await open(gateway)).resources.read("note://one");
    expect(seen).toContainEqual(["resources/read", "note://one", "ok"]);
  });

  test("a principal whose calls hang leaves room for others", async () => {
    const a = createServer({ name: "a", version: "1" });
    a.tool("hang", {}, async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "";
    });
    a.tool("read", {}, () => "read");
    const refused = new Queue<string>();
    const record = ({ outcome }: GatewayAuditEntry) => void (outcome === "refused" && refused.push(outcome));
    const { as } = await serveProgram({ servers: { a }, maxRunning: 4, audit: record });
    const [greedy, other] = [await as("greedy"), await as("other")];
    const stop = new AbortController();
    const calls = [1, 2, 3, 4].map(() =>
      greedy.tools.call("a__hang", {}, { signal: stop.signal }).catch(() => undefined),
    );
    await refused.take(2);
    expect(await textOf(other, "a__read")).toBe("read");
    stop.abort();
    await Promise.all(calls);
  });
});
