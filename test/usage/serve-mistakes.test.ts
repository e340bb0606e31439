import { createServer, type LogEntry, McpError, servePipe, servePort } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { openGateway } from "allspeak/gateway";
import { openHost } from "allspeak/host";
import { createFetchHandler } from "allspeak/http";
import { createNodeHandler, serveHttp, serveSocket, serveStdio } from "allspeak/node";
import { connectTest } from "allspeak/testing";
import { expect, test } from "vitest";

type Loose = (...given: unknown[]) => unknown;

const server = createServer({ name: "test", version: "1.0.0" });
const http = (options: unknown) => (serveHttp as Loose)(server, options);
const halfState = { isShared: true, sessions: {} };

const mistakes: readonly [what: string, run: () => unknown, says: string][] = [
  ["a port in the place of options", () => http(3000), "such as { port, host, "],
  ["a host without options", () => (openHost as Loose)(), 'write openHost({ config: ".mcp.json" }), or'],
  [
    "a file in the place of a host's options",
    () => (openHost as Loose)(".mcp.json"),
    'openHost takes options, not ".mcp.json"; write openHost({ config: ".mcp.json" })',
  ],
  [
    "the content of a file in the place of a host's options",
    () => (openHost as Loose)({ mcpServers: {} }),
    'openHost takes the servers of a file as its option "servers"; write openHost(',
  ],
  [
    "the content of a file in the place of a gateway's options",
    () => (openGateway as Loose)({ mcpServers: {} }),
    "write openGateway({ config:",
  ],
  ["a bridge to nothing", () => (openBridge as Loose)(), "openBridge takes the server first"],
  [
    "a test of nothing",
    () => (connectTest as Loose)(),
    "connectTest takes a server first: connectTest(server)",
  ],
  [
    "an object over HTTP",
    () => (serveHttp as Loose)({}),
    "serveHttp takes a server value first, of createServer, a bridge or a gateway, not an object",
  ],
  [
    "options before the server",
    () => (serveHttp as Loose)({ port: 0 }, server),
    "takes a server value first, of createServer, a bridge or a gateway, not an object",
  ],
  ["nothing over stdio", () => (serveStdio as Loose)(), "serveStdio takes a server value"],
  [
    "nothing over a socket",
    () => (serveSocket as Loose)(undefined, { port: 0 }),
    "serveSocket takes a server value",
  ],
  ["nothing by fetch", () => (createFetchHandler as Loose)(), "createFetchHandler takes a server value"],
  [
    "nothing by a Node handler",
    () => (createNodeHandler as Loose)(),
    "createNodeHandler takes a server value",
  ],
  ["nothing at a pipe", () => (servePipe as Loose)(), "servePipe takes a server value"],
  ["nothing at a port", () => (servePort as Loose)(), "servePort takes a server value"],
  [
    "a path without a slash",
    () => http({ path: "mcp" }),
    '"path" must be a path that begins with "/", not "mcp"',
  ],
  [
    "a public URL without a scheme",
    () => http({ publicUrl: "example.com/mcp" }),
    "begins with http:// or https://",
  ],
  [
    "a public host with a port",
    () => http({ publicUrl: "example.com:8080" }),
    "begins with http:// or https://",
  ],
  ["a port as text", () => http({ port: "3000" }), '"port" must be a number of 0 or more, not "3000"'],
  [
    "a port that does not exist",
    () => http({ port: 99_999 }),
    "Can't listen on 127.0.0.1:99999: a port is a whole number from 0 to 65535.",
  ],
  [
    "a host that does not exist",
    () => http({ host: "203.0.113.1", publicUrl: "http://a.example" }),
    "does not have that address",
  ],
  [
    "a misspelled limit",
    () => http({ limits: { runing: 1 } }),
    'has no option "limits.runing"; did you mean "running"?',
  ],
  ["a misspelled option of sessions", () => http({ sessions: { idle: 1 } }), 'did you mean "idleMs"?'],
  [
    "one allowed host",
    () => http({ allowedHosts: "example.com" }),
    '"allowedHosts" must be an array of strings',
  ],
  [
    "a socket without options",
    () => (serveSocket as Loose)(server),
    "serveSocket takes an object of options",
  ],
  [
    "a socket without an address",
    () => (serveSocket as Loose)(server, {}),
    "needs a path, of a unix socket, or a port",
  ],
  ["a state that is none", () => http({ state: {} }), "use memoryState(), redis() or the like"],
  [
    "a state without all of its stores",
    () => http({ state: halfState }),
    "The state has no events, values, counters, tasks; use memoryState(), redis() or the like",
  ],
  [
    "a state without all of its stores by fetch",
    () => (createFetchHandler as Loose)(server, { state: halfState }),
    "The state has no events, values, counters, tasks",
  ],
  ["a path by fetch", () => createFetchHandler(server, { path: "mcp" }), 'begins with "/"'],
  ["a path by a Node handler", () => createNodeHandler(server, { path: "mcp" }), 'begins with "/"'],
  ["a port over stdio", () => (serveStdio as Loose)(server, { port: 1 }), 'has no option "port"'],
];

test("an identify that returns a name refuses the request, and the log says what to return", async () => {
  const log: LogEntry[] = [];
  const logged = createServer({ name: "test", version: "1.0.0", log: (entry) => void log.push(entry) });
  const running = await serveHttp(logged, { identify: (() => "anna") as never });
  const headers = { "content-type": "application/json" };
  const response = await fetch(running.url, { method: "POST", body: "{}", headers });
  expect(response.status).toBe(500);
  const message = 'identify must return { issuer, subject } or undefined, not "anna".';
  expect(log.map(({ cause }) => cause)).toContainEqual(expect.objectContaining({ code: "usage", message }));
  await running.close();
});

test.each(mistakes)("%s is refused at once, in words", async (_, run, says) => {
  const outcome = (async () => run())();
  await expect(outcome).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(says) });
  await expect(outcome).rejects.toBeInstanceOf(McpError);
});
