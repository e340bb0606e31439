// Node writes a coverage report that names each module it has loaded. Each costs a start about as much as 10 KB of code.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./paths.ts";

/** Built-ins of Node that take milliseconds to load: fetch, sockets, processes, cryptography and `performance`. */
const costly = [
  ...["internal/deps/undici/undici", "http", "https", "tls"],
  ...["child_process", "crypto", "perf_hooks"],
];

test.each([
  ["JSON Schema", `const input = { type: "object", properties: { n: { type: "number" } } };`, []],
  ["zod 4", `import { z } from "zod"; const input = z.object({ n: z.number() });`, []],
  ["zod 3", `import { z } from "zod3"; const input = z.object({ n: z.number() });`, ["zod.js"]],
  ["valibot", `import * as v from "valibot"; const input = v.object({ n: v.number() });`, ["valibot.js"]],
])("a server of %s loads only the converter that it needs", (_, schema, converters) => {
  const { chunks } = run(`
    import { createServer, tool } from "allspeak";
    import { connect } from "allspeak/client";
    ${schema}
    const echo = tool("echo", { input }, () => "hello");
    const client = await connect(createServer({ name: "lean", version: "1.0.0", tools: [echo] }));
    await client.tools.call("echo", { n: 1 });
    await client.close();
  `);
  expect(chunks.length).toBeGreaterThan(2);
  expect(chunks.filter((name) => /^(zod|valibot)\.js$/.test(name))).toEqual(converters);
});

const server = `
  import { createServer, tool } from "allspeak";
  const input = { type: "object", properties: { n: { type: "number" } } };
  const builtIns = () => process.moduleLoadList.flatMap((name) => name.split("NativeModule ")[1] ?? []);
  const echo = tool("echo", { input }, () => JSON.stringify(builtIns()));
  const server = createServer({ name: "lean", version: "1.0.0", tools: [echo] });
`;
const core = ["index.js", "node.js", "protocol.js", "server.js", "stdio.js"];
/** The arguments of a call are validated by a JSON Schema. */
const validator = ["validator.js"];
const clientInfo = { name: "test", version: "1.0.0" };
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "echo", arguments: { n: 1 } } };
const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};

test.each([
  ["JSON Schema", `const input = { type: "object" };`],
  ["zod 4", `import { z } from "zod"; const input = z.object({});`],
])("a server of %s has loaded no validator when it has answered initialize", (_, schema) => {
  const { chunks, output } = run(
    `
      import { createServer, tool } from "allspeak";
      import { serveStdio } from "allspeak/node";
      ${schema}
      const echo = tool("echo", { input }, () => "hello");
      await serveStdio(createServer({ name: "lean", version: "1.0.0", tools: [echo] }));
    `,
    `${JSON.stringify(initialize)}\n`,
  );
  expect(JSON.parse(output).result.serverInfo.name).toBe("lean");
  expect(chunks.sort()).toEqual(core);
});

describe("a server with tools has loaded little when it has answered a call", () => {
  test.each([
    ["2025-11-25", [initialize, call]],
    ["2026-07-28", [{ ...call, params: { ...call.params, _meta: meta } }]],
  ])("over stdio (%s)", (_, messages) => {
    const { chunks, output } = run(
      `${server} import { serveStdio } from "allspeak/node"; await serveStdio(server);`,
      messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
    );
    expect(chunks.sort()).toEqual([...core, ...validator].sort());
    const answer = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "");
    const builtIns: string[] = JSON.parse(answer.result.content[0].text);
    expect(builtIns).toContain("net");
    expect(builtIns.filter((name) => costly.includes(name))).toEqual([]);
  });

  const overHttp = [...core, ...validator, "http.js", "serve-http.js"];

  test.each([
    ["2025-11-25", [initialize, call], [...overHttp, "session-endpoint.js", "state.js"]],
    ["2026-07-28", [{ ...call, params: { ...call.params, _meta: meta } }], overHttp],
  ])("over HTTP (%s)", (revision, messages, expected) => {
    const { chunks, output } = run(`
      ${server}
      import { request } from "node:http";
      import { serveHttp } from "allspeak/node";
      const { url, close } = await serveHttp(server);
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "${revision}",
        "mcp-method": "tools/call",
        "mcp-name": "echo",
      };
      const post = (body) =>
        new Promise((resolve, reject) => {
          const sent = request(url, { method: "POST", headers }, async (response) => {
            headers["mcp-session-id"] ??= response.headers["mcp-session-id"] ?? "";
            resolve(Buffer.concat(await response.toArray()).toString());
          });
          sent.on("error", reject);
          sent.end(JSON.stringify(body));
        });
      let answer;
      for (const message of ${JSON.stringify(messages)}) answer = await post(message);
      process.stdout.write(answer);
      await close();
    `);
    expect(chunks.sort()).toEqual(expected.sort());
    const builtIns: string[] = JSON.parse(JSON.parse(output).result.content[0].text);
    // To listen, Node itself loads what starts the workers of a cluster.
    const needed = ["http", "child_process"];
    expect(builtIns.filter((name) => costly.includes(name) && !needed.includes(name))).toEqual([]);
  });
});

describe("with its first question, a server on stdio", () => {
  const elicits = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
  const ask = { ...call, params: { name: "ask", arguments: {}, _meta: { ...meta, ...elicits } } };

  /** The files that a server has loaded when the question of a tool with these options is on its way. */
  function loadedByQuestion(options: string): string[] {
    const { chunks, output } = run(
      `
        import { createServer, tool } from "allspeak";
        import { serveStdio } from "allspeak/node";
        const form = { type: "object", properties: { ok: { type: "boolean" } } };
        const ask = tool("ask", ${options}, async (_, ctx) => {
          await ctx.elicit("ok", "Go on?", form);
          return "done";
        });
        await serveStdio(createServer({ name: "asks", version: "1.0.0", tools: [ask] }), { graceMs: 60_000 });
      `,
      `${JSON.stringify(ask)}\n`,
    );
    expect(JSON.parse(output).result.resultType).toBe("input_required");
    return chunks;
  }

  test("loads no store, since the client carries the state", () => {
    expect(loadedByQuestion("{}").sort()).toEqual([...core, "questions.js", "questions-shared.js"].sort());
  });

  test("loads no client and no HTTP server, even where the tool may be a task", () => {
    const chunks = loadedByQuestion(`{ task: "optional" }`);
    expect(chunks).toEqual(expect.arrayContaining(["questions.js", "server-tasks.js"]));
    expect(chunks.filter((name) => /^(?:client|http)\.js$/.test(name))).toEqual([]);
  });
});

test("a server answers the creation of a task before it loads what runs the task", () => {
  const takesTasks = {
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const later = { ...call, params: { name: "later", arguments: {}, _meta: { ...meta, ...takesTasks } } };
  const { chunks, output } = run(
    `
      import { createServer, tool } from "allspeak";
      import { serveStdio } from "allspeak/node";
      const later = tool("later", { task: "required" }, () => "done");
      const { write } = process.stdout;
      process.stdout.write = (...written) => {
        write.apply(process.stdout, written);
        process.exit();
      };
      await serveStdio(createServer({ name: "later", version: "1.0.0", tools: [later] }));
    `,
    `${JSON.stringify(later)}\n`,
  );
  expect(JSON.parse(output).result.resultType).toBe("task");
  expect(chunks.sort()).toEqual([...core, "server-tasks.js", "state.js"].sort());
});

test("a client loads no server, whatever it comes to need", () => {
  const reached = [...reach(join(root, "dist/client.js"))].map((file) => basename(file));
  expect(reached).toContain("channel.js");
  expect(reached.filter((name) => /^(?:server|http|node|session-endpoint)\.js$/.test(name))).toEqual([]);
});

/** The files that a file of dist/ may ever load, in a browser. */
function reach(start: string): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const file of reached) {
    const text = readFileSync(file, "utf8");
    for (const [, path = ""] of text.matchAll(/(?:\bfrom |\bimport\(|^import )"(\.[^"]+)"/gm))
      reached.add(resolve(dirname(file), path));
    if (text.includes('"#platform"')) reached.add(join(root, "dist/platform/web.js"));
  }
  return reached;
}

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** Runs a program to its end; the files of dist/ that it has loaded, and what it wrote. */
function run(program: string, input = ""): { chunks: string[]; output: string } {
  const folder = mkdtempSync(join(tmpdir(), "allspeak-"));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { cwd: root, env, input, encoding: "utf8" },
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const reports = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const urls = reports.flatMap((text) => (JSON.parse(text) as Coverage).result.map(({ url }) => url));
    return {
      chunks: urls.flatMap((url) => /\/dist\/(?:chunks\/)?([^/]+)$/.exec(url)?.[1] ?? []),
      output: stdout,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
