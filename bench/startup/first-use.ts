import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { median } from "../report/rounds.ts";
import type { Report } from "../report/table.ts";
import { serverPath } from "../servers/contender.ts";
import { cpuMsOf } from "../servers/process-cpu.ts";

const rounds = 3;
const mostMs = 20;

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

/** The request that uses each part for the first time. */
const parts: Readonly<Record<string, readonly [method: string, params: object]>> = {
  "list of tools": ["tools/list", {}],
  "arguments by JSON Schema": ["tools/call", { name: "echo", arguments: { text: "x" } }],
  "result that is an object": ["tools/call", { name: "object", arguments: {} }],
  resource: ["resources/read", { uri: "note://one" }],
  "resource template": ["resources/read", { uri: "note://two/text" }],
  prompt: ["prompts/get", { name: "review", arguments: { code: "x" } }],
  completion: [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "review" }, argument: { name: "code", value: "a" } },
  ],
  subscription: ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
  "question of a handler": ["tools/call", { name: "ask", arguments: {} }],
  task: ["tools/call", { name: "later", arguments: {} }],
  "tool behind a mount": ["tools/call", { name: "inner_echo", arguments: { text: "x" } }],
};

/** The processor time of the first use of parts that are loaded on demand, in a process that has answered a call. */
export async function benchFirstUse(): Promise<Report> {
  const rows = [];
  for (const [name, request] of Object.entries(parts)) {
    const uses: (readonly number[])[] = [];
    for (let round = 0; round < rounds; round++) uses.push(await usePart(request));
    const [first, later] = [0, 1].map((at) => median(uses.map((ms) => ms[at] ?? Number.NaN)));
    rows.push({ name, first: first ?? Number.NaN, later: later ?? Number.NaN });
  }
  return {
    tables: [
      {
        title: "first use of a part, processor time of the server",
        header: ["part", "first, ms", "second, ms"],
        rows: rows.map(({ name, first, later }) => [name, first.toFixed(1), later.toFixed(1)]),
      },
    ],
    figures: [
      {
        what: "slowest first use of a part, ms",
        measured: Math.max(...rows.map(({ first }) => first)),
        bound: "at most",
        limit: mostMs,
      },
    ],
  };
}

/** The milliseconds of the first use and of the second. */
async function usePart([method, params]: readonly [string, object]): Promise<readonly number[]> {
  const child = spawn(process.execPath, [serverPath("stdio/allspeak-first-use")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const use = async (...[name, given]: readonly [string, object]): Promise<number> => {
    const before = cpuMsOf(child.pid as number);
    const message = { jsonrpc: "2.0", id: ++id, method: name, params: { ...given, _meta: meta } };
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const { value } = await lines.next();
    if (JSON.parse(value).error) throw new Error(`${name} failed: ${value}`);
    return cpuMsOf(child.pid as number) - before;
  };
  try {
    await use("tools/call", { name: "plain", arguments: {} });
    return [await use(method, params), await use(method, params)];
  } finally {
    await stop(child);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
