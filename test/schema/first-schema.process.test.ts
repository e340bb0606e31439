// The first schema of zod 3 or valibot in a process loads its converter, so each test is a process of its own.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const imports = `
  import { createServer, prompt, servePort, tool } from "allspeak";
  import { connect } from "allspeak/client";
  import { createFetchHandler } from "allspeak/http";
  import { serveHttp, serveSocket, serveStdio } from "allspeak/node";
  import * as v from "valibot";
  import { z as z3 } from "zod3";
  const input = v.object({ n: v.number() });
  const double = tool("double", { input, output: v.object({ n: v.number() }) }, ({ n }) => ({ n: 2 * n }));
  const bad = tool("bad", { input: z3.object({ at: z3.date() }) }, () => "");
  const create = (tools, more) => createServer({ name: "first", version: "1.0.0", tools, ...more });
  const failure = (promise) => promise.then(() => "served", ({ name, message }) => name + ": " + message);
`;
const problem =
  'RegistrationError: Tool "bad" has an input schema that can\'t be used: The date at "at" has no JSON Schema';

/** What a program prints as JSON. An unhandled rejection ends it with a failure. */
async function run(program: string): Promise<unknown> {
  const print = `console.log(JSON.stringify(await (async () => { ${program} })())); process.exit(0);`;
  const args = ["--input-type=module", "--eval", imports + print];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 15_000 });
  return JSON.parse(stdout);
}

describe("the first schemas in a process", () => {
  it.each(["2024-11-05", "2026-07-28"])("of valibot are listed and called at once (%s)", async (revision) => {
    const printed = await run(`
      const ask = prompt("ask", { args: v.object({ topic: v.string() }) }, ({ topic }) => topic);
      const server = create([double], { prompts: [ask] });
      const client = await connect(server, { revisions: ["${revision}"] });
      const [listed] = await client.tools.list().all();
      const [{ arguments: args }] = await client.prompts.list().all();
      const { content } = await client.tools.call("double", { n: 21 });
      return [client.server.revision, listed.inputSchema, args, content];
    `);
    expect(printed).toEqual([
      revision,
      { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      [{ name: "topic", required: true }],
      [{ type: "text", text: '{"n":42}' }],
    ]);
  });

  it("keep the order in which the tools were registered", async () => {
    const names = await run(`
      const server = create([double, tool("plain", {}, () => "")]);
      return (await (await connect(server)).tools.list().all()).map(({ name }) => name);
    `);
    expect(names).toEqual(["double", "plain"]);
  });

  it("may be those of the author's methods and forms", async () => {
    const printed = await run(`
      const ask = tool("ask", {}, async (_, ctx) => (await ctx.elicit("n?", z3.object({ n: z3.number() }))).content);
      const server = create([ask]);
      server.method("com.example/double", { params: input }, ({ n }) => ({ n: 2 * n }));
      const elicit = () => ({ action: "accept", content: { n: 1 } });
      const client = await connect(server, { elicit });
      const { content } = await client.tools.call("ask", {});
      return [(await client.request("com.example/double", { n: 2 })).n, content];
    `);
    expect(printed).toEqual([4, [{ type: "text", text: '{"n":1}' }]]);
  });
});

describe("a first schema of zod 3 that can't be converted", () => {
  it.each([
    ["connect", "connect(create([bad]))"],
    ["serveStdio", "serveStdio(create([bad]))"],
    ["serveHttp", "serveHttp(create([bad]))"],
    ["serveSocket", "serveSocket(create([bad]), { port: 0 })"],
    ["the first request", "createFetchHandler(create([bad]))(new Request('http://localhost/mcp'))"],
  ])("rejects %s by name", async (_, serving) => {
    expect(await run(`return failure(${serving});`)).toContain(problem);
  });

  it("rejects serving long after its conversion failed, and in the server that mounts it", async () => {
    const printed = await run(`
      const server = create([bad]);
      const outer = create([]);
      outer.mount("inner", server);
      await failure(connect(server)); // by now the conversion has failed
      return Promise.all([failure(connect(server)), failure(connect(outer))]);
    `);
    expect(printed).toEqual([expect.stringContaining(problem), expect.stringContaining(problem)]);
  });

  it("lets a port answer nothing but errors, and is logged by name", async () => {
    const printed = await run(`
      const { port1, port2 } = new MessageChannel();
      const logged = [];
      servePort(create([bad], { log: ({ cause }) => logged.push(cause.name + ": " + cause.message) }), port1);
      const answer = new Promise((resolve) => { port2.onmessage = ({ data }) => resolve(data); });
      port2.postMessage('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      const { error } = JSON.parse(await answer);
      return [error.code, ...logged];
    `);
    expect(printed).toEqual([-32603, expect.stringContaining(problem)]);
  });

  it("throws at once when the converter is loaded", async () => {
    const printed = await run(`
      await connect(create([tool("good", { input: z3.object({}) }, () => "")]));
      try { create([bad]); } catch ({ name, message }) { return name + ": " + message; }
    `);
    expect(printed).toContain(problem);
  });

  it("does not end a server that is in use", async () => {
    const printed = await run(`
      const logged = [];
      const server = create([tool("good", {}, () => "")], { log: ({ cause }) => logged.push(cause.message) });
      const client = await connect(server);
      server.add(bad);
      const names = (await client.tools.list().all()).map(({ name }) => name);
      return [names, ...logged];
    `);
    expect(printed).toEqual([["good"], expect.stringContaining('Tool "bad"')]);
  });
});

describe("a late registration with a first schema", () => {
  it("is announced when it can be listed, and can be called at once", async () => {
    const printed = await run(`
      const server = create([tool("good", {}, () => "")]);
      const client = await connect(server, { revisions: ["2025-11-25"] });
      const changed = new Promise((resolve) => {
        client.onChange(async () => resolve((await client.tools.list().all()).length));
      });
      server.add(double);
      const { content } = await client.tools.call("double", { n: 1 });
      return [content[0].text, await changed];
    `);
    expect(printed).toEqual(['{"n":2}', 2]);
  });

  it("that was removed meanwhile is not offered", async () => {
    const names = await run(`
      const server = create([tool("good", {}, () => "")]);
      server.add(double).remove();
      return (await (await connect(server)).tools.list().all()).map(({ name }) => name);
    `);
    expect(names).toEqual(["good"]);
  });
});
