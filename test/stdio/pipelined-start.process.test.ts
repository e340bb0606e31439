// A client may send many calls before the server has answered the first, which loads the code that all of them need.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const calls = 3_000;

const initialize = {
  ...{ id: 0, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
};
const call = (id: number) => ({
  ...{ id, method: "tools/call" },
  params: { name: "add", arguments: { n: id } },
});

const declared = {
  "checked arguments": `{ input: schema }, ({ n }) => String(n + 1)`,
  "a structured result": `{ output: schema }, () => ({ n: 1 })`,
  "an error": `{}, () => { throw new Error("no") }`,
};

const program = (tool: string, serve: string) => `
  import { createServer, servePort } from "allspeak";
  import { serveHttp, serveSocket, serveStdio, websocketLimits } from "allspeak/node";
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const server = createServer({ name: "adder", version: "1.0.0", log: () => {} });
  server.tool("add", ${tool});
  ${serve}
`;

interface Answer {
  readonly id: number;
  readonly result?: object;
  readonly error?: object;
}

function run(source: string, input: string): readonly Answer[] {
  const { status, stdout, stderr } = spawn(source, input);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return toAnswers(stdout);
}

function spawn(source: string, input: string): { status: number | null; stdout: string; stderr: string } {
  const args = ["--input-type=module", "--eval", source];
  const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 50_000 };
  return spawnSync(process.execPath, args, { cwd: root, input, encoding: "utf8", ...limits });
}

function toAnswers(stdout: string): readonly Answer[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function encode(...messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
}

/** The calls that all clients send before they read anything. */
function encodeCalls(count: number, toCall: (id: number) => object = call): string {
  return encode(initialize, ...Array.from({ length: count }, (_, index) => toCall(index + 1)));
}

test.each(Object.entries(declared))(
  "a server over stdio answers every call that comes at its start (%s)",
  (_, tool) => {
    const answers = run(program(tool, "await serveStdio(server, { graceMs: 30_000 });"), encodeCalls(calls));
    expect(answers.filter(({ error }) => error)).toEqual([]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(calls + 1);
  },
);

test("the limit of calls at once does not count those that wait for the code", () => {
  const serve = "await serveStdio(server, { graceMs: 30_000, maxCalls: 1 });";
  const answers = run(program(declared["checked arguments"], serve), encodeCalls(100));
  expect(answers.filter(({ error }) => error)).toEqual([]);
});

test("a server answers every request for a list that comes at its start", () => {
  const input = encodeCalls(5_000, (id) => ({ id, method: "tools/list" }));
  const answers = run(program(declared["an error"], "await serveStdio(server, { graceMs: 30_000 });"), input);
  expect(answers.filter(({ error }) => error)).toEqual([]);
  expect(answers.length).toBe(5_001);
});

const overSocket = `
  import { connect } from "node:net";
  const { address, close } = await serveSocket(server, { port: 0 });
  const socket = connect(address.port, address.host);
  socket.end(input);
  for await (const chunk of socket) process.stdout.write(chunk);
  await close();
`;

const overWebSocket = `
  import { WebSocket, WebSocketServer } from "ws";
  const running = await serveHttp(server, { port: 0, websocket: new WebSocketServer(websocketLimits()) });
  const socket = new WebSocket(running.url.replace("http", "ws"));
  socket.on("open", () => messages.forEach((message) => socket.send(message)));
  await answered((listener) => socket.on("message", listener));
  socket.terminate();
  await running.close(0);
`;

const overPort = `
  const { port1: near, port2: far } = new MessageChannel();
  const connection = servePort(server, far);
  for (const message of messages) near.postMessage(message);
  await answered((listener) => near.on("message", listener));
  await connection.close(0);
`;

const client = `
  const input = (await process.stdin.setEncoding("utf8").toArray()).join("");
  const messages = input.trimEnd().split("\\n");
  const answered = (listen) => new Promise((resolve) => {
    let answers = 0;
    listen((data) => {
      console.log(String(data));
      if (++answers === messages.length) resolve();
    });
  });
`;

describe.each([
  ["a socket", overSocket],
  ["a WebSocket", overWebSocket],
  ["a port", overPort],
])("a server over %s", (_, serve) => {
  test.each(Object.entries(declared))("answers every call that comes at its start (%s)", (_, tool) => {
    const answers = run(program(tool, client + serve), encodeCalls(calls));
    expect(answers.filter(({ error }) => error)).toEqual([]);
    expect(answers.length).toBe(calls + 1);
  });
});

const initialized = { method: "notifications/initialized" };
const stateless = (id: number) => ({
  ...{ id, method: "tools/list" },
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});

test("a session that opens while code is loaded hears of changes", () => {
  const text = encode(stateless(1), initialize, initialized, { method: "test/change" });
  const serve = `
    import { PassThrough } from "node:stream";
    const input = new PassThrough();
    const output = new PassThrough().setEncoding("utf8");
    await serveStdio(server, { input, output });
    server.onNotification("test/change", {}, () => void server.tool("later", {}, () => ""));
    input.write(${JSON.stringify(text)});
    for await (const chunk of output) if (chunk.includes("list_changed")) process.exit();
  `;
  expect(spawn(program(declared["an error"], serve), "")).toMatchObject({ status: 0, stderr: "" });
});

test("a call that is cancelled while code is loaded never runs", () => {
  const tool = `{ input: schema }, ({ n }) => { console.error(n); return ""; }`;
  const cancelled = { method: "notifications/cancelled", params: { requestId: 2 } };
  const input = encode(initialize, call(1), call(2), cancelled, call(3));
  const source = program(tool, "await serveStdio(server);");
  const { stdout, stderr } = spawn(source, input);
  expect(stderr).toBe("1\n3\n");
  expect(toAnswers(stdout).map(({ id }) => id)).toEqual([0, 1, 3]);
});

test("a call that comes before the session is refused, though the session opens while code is loaded", () => {
  const input = encode(stateless(1), call(2), initialize);
  const answers = run(program(declared["an error"], "await serveStdio(server);"), input);
  expect(answers.find(({ id }) => id === 2)?.error).toMatchObject({ code: -32600 });
});

test("stdout is guarded at once while code is loaded", () => {
  const serve = `await serveHttp(server, { port: 0 }); serveStdio(server); console.log("started");`;
  const { stdout, stderr } = spawn(program(declared["checked arguments"], serve), "");
  expect(stdout).toBe("");
  expect(stderr).toContain("started");
});

test("a server whose items are not ready sees the end of its input", () => {
  const serve = `
    await serveStdio(server);
    // The work of a program that goes on meanwhile.
    setInterval(() => {}, 60_000);
    const ready = new Promise(() => {});
    const mount = { ready, capabilities: {}, request: async () => ({}), onChange: () => () => {} };
    server.mount("late", { "~mount": () => mount });
  `;
  const { status } = spawn(program(declared["an error"], serve), encode(stateless(1)));
  expect(status).toBe(0);
});
