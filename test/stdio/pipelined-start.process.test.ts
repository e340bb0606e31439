// A client may send many calls before the server has answered the first, which loads the code that all of them need.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const calls = 3_000;

const initialize = {
  ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
};
const call = (id: number) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name: "add", arguments: { n: id } },
});

const declared = {
  "checked arguments": `{ input: schema }, ({ n }) => String(n + 1)`,
  "a structured result": `{ output: schema }, () => ({ n: 1 })`,
  "an error": `{}, () => { throw new Error("no") }`,
};

const program = (tool: string, serve: string) => `
  import { createServer } from "allspeak";
  import { serveHttp, serveSocket, serveStdio, websocketLimits } from "allspeak/node";
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const server = createServer({ name: "adder", version: "1.0.0", log: () => {} });
  server.tool("add", ${tool});
  ${serve}
`;

function run(source: string, input: string): readonly { id: number; result?: object; error?: object }[] {
  const args = ["--input-type=module", "--eval", source];
  const options = { cwd: root, input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The calls that all clients send before they read anything. */
function encodeCalls(count: number): string {
  const messages = [initialize, ...Array.from({ length: count }, (_, index) => call(index + 1))];
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
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
  const messages = input.trimEnd().split("\\n");
  socket.on("open", () => messages.forEach((message) => socket.send(message)));
  let answers = 0;
  await new Promise((resolve) =>
    socket.on("message", (data) => {
      console.log(String(data));
      if (++answers === messages.length) resolve();
    }),
  );
  socket.terminate();
  await running.close(0);
`;

test.each([
  ["a socket", overSocket],
  ["a WebSocket", overWebSocket],
])("a server over %s answers every call that comes at its start", (_, serve) => {
  const readInput = `const input = (await process.stdin.setEncoding("utf8").toArray()).join("");`;
  const answers = run(program(declared["checked arguments"], readInput + serve), encodeCalls(calls));
  expect(answers.filter(({ error }) => error)).toEqual([]);
  expect(answers.length).toBe(calls + 1);
});
