// Programs whose own code uses `process.stdin` while a server is served on it.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

let child: ChildProcessWithoutNullStreams;
let answers: Interface;
afterEach(() => child.kill("SIGKILL"));

/** Starts a server; the program may add code `before` it is served, in its tool `run`, and `after`. */
function start({ before = "", run = "", after = "" }): void {
  const program = `
    import { Writable } from "node:stream";
    import { createServer } from "allspeak";
    import { serveStdio } from "allspeak/node";
    const server = createServer({ name: "s", version: "1" });
    const seen = [];
    server.tool("echo", "Says it again", { type: "object" }, ({ text }) => text);
    server.tool("run", "Runs the code of the test", async () => { ${run}; return "done"; });
    server.tool("seen", "Returns what else was seen", () => JSON.stringify(seen));
    ${before};
    const running = await serveStdio(server);
    ${after};
  `;
  child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  answers = createInterface(child.stdout);
}

function send(...calls: { name: string; text?: string }[]): void {
  const lines = calls.map(({ name, text }, at) => {
    const params = { name, arguments: { text }, _meta: meta };
    return `${JSON.stringify({ jsonrpc: "2.0", id: at + 1, method: "tools/call", params })}\n`;
  });
  child.stdin.write(lines.join(""));
}

async function nextAnswer(): Promise<string> {
  const [line] = await once(answers, "line");
  return JSON.parse(line).result.content[0].text;
}

async function call(name: string, text?: string): Promise<string> {
  const answer = nextAnswer();
  send({ name, ...(text !== undefined && { text }) });
  return answer;
}

const uses = {
  'on("data")': 'process.stdin.on("data", (chunk) => seen.push(chunk.length))',
  'on("readable")': 'process.stdin.on("readable", () => { while (process.stdin.read() !== null); })',
  "for await": "(async () => { for await (const chunk of process.stdin); })()",
  pipe: 'process.stdin.setEncoding("utf8").pipe(new Writable({ write: (_, __, done) => done() }))',
  "read()": "process.stdin.read()",
  "resume()": "process.stdin.resume()",
  "pause() and resume()": "process.stdin.pause(); process.stdin.resume()",
};

test.each(Object.entries(uses))("no message is lost where the program calls %s", async (_, code) => {
  for (const when of ["before", "run", "after"]) {
    start({ [when]: code });
    expect(await call("echo", "a")).toBe("a");
    expect(await call("run")).toBe("done");
    for (const text of ["b", "ü".repeat(100_000), "c"]) expect(await call("echo", text)).toBe(text);
    child.kill("SIGKILL");
  }
});

test("no byte is lost that the program has looked at and put back", async () => {
  start({
    before: `
      const { stdin } = process;
      await new Promise((resolve) => stdin.once("readable", resolve));
      const first = stdin.read();
      stdin.unshift(first);
      // More than the stream has room for, so that it stops reading.
      while (stdin.readableLength <= first.length) await new Promise(setImmediate)`,
  });
  const text = "ü".repeat(100_000);
  expect(await call("echo", text)).toBe(text);
});

test("a listener of the program gets every byte that comes after it", async () => {
  start({ run: uses['on("data")'] });
  await call("run");
  await call("echo", "x".repeat(1000));
  const seen: number[] = JSON.parse(await call("seen"));
  expect(seen.reduce((sum, length) => sum + length)).toBeGreaterThan(1000);
});

test.each(["", "process.stdin.pause()"])("a program sees the end of its input (%s)", async (run) => {
  start({ run, before: 'process.stdin.on("end", () => process.stderr.write("seen"))' });
  expect(await call("run")).toBe("done");
  expect(await call("echo", "a")).toBe("a");
  const seen = once(child.stderr, "data");
  child.stdin.end();
  expect(String((await seen)[0])).toBe("seen");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a program may read its input itself once the server is closed", async () => {
  start({
    run: "setImmediate(() => running.close())",
    after: 'await running.closed; process.stdin.on("data", (chunk) => process.stdout.write("read " + chunk))',
  });
  expect(await call("run")).toBe("done");
  const line = once(answers, "line");
  child.stdin.write("hello\n");
  expect(await line).toEqual(["read hello"]);
});
