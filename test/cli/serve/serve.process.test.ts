import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connect } from "allspeak/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasRedis, url as redisUrl } from "../../state/redis/support.ts";
import { node22 } from "../../support/node22.ts";
import { fixtures, startProgram, temporaryFolder } from "../support/program.ts";
import { createProject } from "../support/project.ts";
import { bin } from "../support/terminal.ts";

const serverOf = (greeting: string) => `
  import { createServer } from "allspeak";
  import { name } from "./name.mjs";
  export const server = createServer({ name, version: "1.0.0" });
  server.tool("greet", "Greets", () => "${greeting} from " + name);
`;

async function open(url: string | undefined) {
  const client = await connect(url ?? "");
  onTestFinished(() => client.close());
  return client;
}

/** Subscribes to changes of the tools; `changed` resolves with the first. */
async function watchTools(client: Awaited<ReturnType<typeof open>>) {
  let onChange = () => {};
  const changed = new Promise<void>((resolve) => {
    onChange = resolve;
  });
  await client.subscribe({ tools: true }, onChange);
  return { changed };
}

const urlLine = /on (http:\/\/\S+);/;

test("a module that ends the process while it is loaded is told so", async () => {
  const program = startProgram(["list", "./exits.mjs"]);
  expect(await program.ended).toBe(2);
  expect(program.output.stderr).toContain("./exits.mjs ended the process with 3 while it was loaded.");
});

test.each([
  ["of its own", { "server.mjs": "export {};\nconst = 1;" }, "server.mjs:2"],
  [
    "in a file that it imports",
    { "server.mjs": 'import "./name.mjs";', "name.mjs": "\n\nconst = 1;" },
    "name.mjs:3",
  ],
])("a module with an error of syntax %s is told the file and the line", async (_where, files, place) => {
  const { output, ended } = startProgram(["list", "./server.mjs"], { cwd: createProject(files) });
  expect([await ended, output.stderr]).toEqual([
    2,
    `error: ./server.mjs can't be loaded: Unexpected token '=' (${place})\n`,
  ]);
});

test("a module of CommonJS with an error of syntax is told the file and the line", async () => {
  const files = { "server.cjs": 'module.exports = require("./name.cjs");', "name.cjs": "\n\nconst = 1;" };
  const cwd = createProject(files);
  for (const [target, place] of [
    ["./name.cjs", "name.cjs:3"],
    ["./server.cjs", "name.cjs:3"],
  ] as const) {
    const { output, ended } = startProgram(["serve", target], { cwd });
    expect([await ended, output.stderr]).toEqual([
      2,
      `error: ${target} can't be loaded: Unexpected token '=' (${place})\n`,
    ]);
  }
});

test("a module that imports one of CommonJS with an error of syntax is told the file and the line", async () => {
  const files = { "server.mjs": 'import "./name.cjs";', "name.cjs": "\n\nconst = 1;" };
  const { output, ended } = startProgram(["serve", "./server.mjs"], { cwd: createProject(files) });
  expect([await ended, output.stderr]).toEqual([
    2,
    "error: ./server.mjs can't be loaded: Unexpected token '=' (name.cjs:3)\n",
  ]);
});

describe("allspeak serve", () => {
  test("serves a module over HTTP until it is told to end", async () => {
    const program = startProgram(["serve", "./shop.mjs", "--http", ":0"]);
    const [, url] = await program.shows("stdout", urlLine);
    const client = await open(url);
    expect((await client.tools.call("sum", { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    program.child.kill("SIGTERM");
    expect(await program.ended).toBe(143);
  });

  test("goes on when nobody reads its standard error any more", async () => {
    const program = startProgram(["serve", "./noisy.mjs", "--http", ":0"]);
    const [, url] = await program.shows("stdout", urlLine);
    const client = await open(url);
    await client.tools.call("note");
    await program.shows("stderr", /noted/);
    program.child.stderr?.destroy();
    for (let call = 0; call < 3; call++)
      expect((await client.tools.call("note")).content).toMatchObject([{ text: "noted" }]);
  });

  test("serves with several processes", async () => {
    const program = startProgram(["serve", "./noisy.mjs", "--http", ":0", "--workers", "2"]);
    const [, url] = await program.shows("stdout", urlLine);
    const pids = new Set<unknown>();
    while (pids.size < 2) {
      const client = await connect(url ?? "", { revisions: ["2026-07-28"] });
      pids.add((await client.tools.call("pid")).structuredContent);
      await client.close();
    }
    expect(pids).not.toContain(program.child.pid);
    program.child.kill("SIGTERM");
    expect(await program.ended).toBe(143);
  });

  test.skipIf(!hasRedis)(
    "serves a session that another process with the same --state has opened",
    async () => {
      const key = Buffer.alloc(32, 7).toString("base64");
      const start = async () => {
        const line = ["serve", "./shop.mjs", "--http", ":0", "--state", redisUrl];
        const program = startProgram(line, { env: { ALLSPEAK_STATE_KEYS: key } });
        return (await program.shows("stdout", urlLine))[1] ?? "";
      };
      const [one, two] = [await start(), await start()];
      const post = (url: string, method: string, params: object, session?: string) =>
        fetch(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...(session && { "mcp-session-id": session }),
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        });
      const opened = await post(one, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      });
      const session = opened.headers.get("mcp-session-id") ?? "";
      expect((await post(two, "ping", {}, session)).status).toBe(200);
      expect((await post(two, "ping", {}, "another")).status).toBe(404);
    },
  );

  test("serves a module on stdio, for a host that starts it", async () => {
    const { output, ended } = startProgram([
      "call",
      `${process.execPath} ${bin} serve ./shop.mjs`,
      "sum",
      "a=1",
      "b=2",
    ]);
    expect(await ended).toBe(0);
    expect(JSON.parse(output.stdout)).toEqual({ sum: 3 });
  });

  test("loads changed files anew, and clients and sessions go on", async () => {
    const cwd = createProject({ "server.mjs": serverOf("Hello"), "name.mjs": `export const name = "one";` });
    const program = startProgram(["serve", "./server.mjs", "--http", ":0", "--watch"], { cwd });
    const [, url] = await program.shows("stdout", urlLine);
    const clients = await Promise.all([open(url), connect(url ?? "", { revisions: ["2025-11-25"] })]);
    onTestFinished(() => clients[1]?.close());
    const greet = () =>
      Promise.all(clients.map(async ({ tools }) => (await tools.call("greet", {})).content[0]));
    const said = (text: string) => clients.map(() => ({ type: "text", text }));
    expect(await greet()).toEqual(said("Hello from one"));

    const changes = await Promise.all(clients.map(watchTools));
    writeFileSync(join(cwd, "name.mjs"), `export const name = "two";`);
    await Promise.all(changes.map(({ changed }) => changed));
    expect(await greet()).toEqual(said("Hello from two"));

    writeFileSync(join(cwd, "server.mjs"), "\nthis is not JavaScript");
    await program.shows("stderr", /Not reloaded: .* \(server\.mjs:2\)/);
    expect(await greet()).toEqual(said("Hello from two"));
  });

  test("runs TypeScript with tsx where Node does not", async () => {
    const source = serverOf("Hello").replace("./name.mjs", "./name.ts").replace("() =>", "(): string =>");
    const files = { "server.ts": source, "name.ts": `export const name: string = "types";` };
    const cwd = createProject({ ...files, "package.json": '{"type":"module"}' }, ["allspeak", "tsx"]);
    const { output, ended } = startProgram(["call", "./server.ts", "greet"], { cwd });
    expect([await ended, output.stdout, output.stderr]).toEqual([0, "Hello from types\n", ""]);
  });

  test("a module that serves itself is refused, with what to do", async () => {
    const cwd = createProject({
      "server.mjs": `import { serveStdio } from "allspeak/node"; ${serverOf("Hi")} await serveStdio(server);`,
      "name.mjs": `export const name = "itself";`,
    });
    const { output, ended } = startProgram(["list", "./server.mjs"], { cwd, stdin: "pipe" });
    expect(await ended).toBe(2);
    expect(output.stderr).toContain('"node ./server.mjs"');
  });

  test.each([
    [["--http", ":0", "--stdio"], "exclude each other"],
    [["--http", "many"], "--http takes a port"],
    [["--http", "0.0.0.0:0"], "opens this server to other machines"],
  ])("%j is a usage error", async (line, message) => {
    const { output, ended } = startProgram(["serve", "./shop.mjs", ...line]);
    expect(await ended).toBe(2);
    expect(output.stderr).toContain(message);
  });
});

test.skipIf(node22 === undefined)("serve --state closes its file where the port is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const cwd = temporaryFolder();
  const http = ["--http", `:${(taken.address() as AddressInfo).port}`];
  const line = ["serve", join(fixtures, "sealed.mjs"), ...http, "--state", "sqlite:state.db"];
  const { output, ended } = startProgram(line, { cwd, ...(node22 && { node: node22 }) });
  expect([await ended, output.stderr]).toEqual([2, expect.stringContaining("another program listens there")]);
  // A database that was left open leaves its journal behind.
  expect(readdirSync(cwd)).toEqual(["state.db"]);
});

describe("allspeak everything", () => {
  test("serves the demo", async () => {
    const program = startProgram(["everything", "--http", "127.0.0.1:0", "--json"]);
    await program.shows("stdout", /\}\n$/);
    const { name, url } = JSON.parse(program.output.stdout);
    expect(name).toBe("everything");
    const client = await open(url);
    expect((await client.tools.call("greet", { name: "Ada" })).content).toEqual([
      { type: "text", text: "Hello, Ada!" },
    ]);
  });
});

describe("the process", () => {
  test("ends the server that it started, when it is interrupted", async () => {
    const child = `${process.execPath} -e "console.error(process.pid); setInterval(() => {}, 1000); process.stdin.resume()"`;
    const program = startProgram(["list", child, "--debug"]);
    const [, pid] = await program.shows("stderr", /^(\d+)$/m);
    program.child.kill("SIGINT");
    expect(await program.ended).toBe(130);
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  });

  test.skipIf(!existsSync("/dev/full"))("reports output that can't be written", async () => {
    const full = openSync("/dev/full", "w");
    onTestFinished(() => closeSync(full));
    const { stderr, status } = spawnSync(process.execPath, [bin, "list", "everything"], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: Standard output can't be written: ENOSPC/),
    ]);
  });

  test("can be interrupted while a server in the same process keeps it busy", async () => {
    const program = startProgram(["bench", "./counting.mjs", "count", "-n", "10000000"]);
    await program.shows("stderr", /counting/);
    program.child.kill("SIGINT");
    expect(await program.ended).toBe(130);
  });

  test("is quiet when nobody reads its output", async () => {
    const program = startProgram(["list", "everything", "--long"]);
    program.child.stdout?.destroy();
    expect(await program.ended).toBe(0);
    expect(program.output.stderr).toBe("");
  });
});
