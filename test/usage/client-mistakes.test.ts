import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { createServer, McpError } from "allspeak";
import { oauth, staticToken } from "allspeak/auth";
import {
  connect,
  consentPolicy,
  httpTransport,
  pinTools,
  portTransport,
  requestHandler,
  websocketTransport,
} from "allspeak/client";
import { memoryState } from "allspeak/http";
import { serveHttp, socketTransport, stdioTransport } from "allspeak/node";
import { expect, test } from "vitest";

type Loose = (...given: unknown[]) => unknown;

const server = createServer({ name: "test", version: "1.0.0" });
server.tool("echo", { input: { type: "object" } }, () => "x");
const call = async (args: unknown) => {
  await using client = await connect(server);
  await (client.tools.call as Loose)("echo", args);
};
const to = (options: unknown) => (connect as Loose)(server, options);

const mistakes: readonly [what: string, run: () => unknown, says: string][] = [
  ["pins that are something else", () => to({ pin: {} }), '"pin" must be pinTools(), not an object'],
  [
    "credentials as text",
    () => to({ auth: "secret" }),
    '"auth" must be oauth(), staticToken(token) or the like',
  ],
  ["credentials that are something else", () => to({ auth: {} }), '"auth" must be oauth()'],
  ...(
    [
      ["a Map", new Map(), 'the argument "a" of "echo", a Map; pass Object.fromEntries(…) of it'],
      ["a Set", new Set(), "a Set; pass an array of it"],
      ["a promise", Promise.resolve(1), "a Promise that is not awaited; await it first"],
      ["a function", () => {}, "a function; pass a value"],
    ] as const
  ).map(
    ([what, a, says]) =>
      [`${what} as an argument`, () => call({ a }), says] as [string, () => unknown, string],
  ),
  ["arguments as a Map", () => call(new Map()), 'the arguments of "echo" as an object, not a Map'],
  ["arguments as text", () => call("text"), 'the arguments of "echo" as an object, not "text"'],
  [
    "a misspelled limit of memory",
    () => (memoryState as Loose)({ maxEvent: 1 }),
    'did you mean "maxEvents"?',
  ],
  ["a client without a version", () => to({ info: { name: "me" } }), "info needs a name and a version"],
  ["a root that is not in a list", () => to({ roots: "/home" }), '"roots" must be an array or a function'],
  [
    "a running server as the target",
    async () => {
      const running = await serveHttp(server);
      await running.close();
      await (connect as Loose)(running);
    },
    "connect takes the URL of a running server: connect(running.url)",
  ],
  ["no token", () => (staticToken as Loose)(), "staticToken takes a token, or a function that returns one"],
  ["options of oauth as text", () => (oauth as Loose)("x"), "oauth takes an object of options"],
  [
    "a misspelled option of oauth",
    () => (oauth as Loose)({ redirectURL: "x" }),
    'did you mean "redirectUri"?',
  ],
  [
    "a handler in the place of its options",
    () => (requestHandler as Loose)(() => ({})),
    "requestHandler takes an",
  ],
  [
    "a transport without a port",
    () => (portTransport as Loose)(),
    "portTransport takes a MessagePort or a Worker",
  ],
  ["nothing to connect to", () => (connect as Loose)(), "takes a URL, a server value"],
  [
    "a promise of a server",
    () => (connect as Loose)(Promise.resolve(createServer({ name: "test", version: "1.0.0" }))),
    "or a command, not a Promise that is not awaited",
  ],
  ["a number of milliseconds as the timeout", () => to({ timeout: 5 }), '"timeout" must be an object, not 5'],
  ["a misspelled timeout", () => to({ timout: {} }), 'has no option "timout"; did you mean "timeout"?'],
  [
    "an answer in the place of a handler",
    () => to({ elicit: {} }),
    '"elicit" must be a function, not an object',
  ],
  [
    "a capability that is not in a list",
    () => to({ requires: "tools" }),
    "must be an array of tools, resources",
  ],
  ["pins that are switched on", () => to({ pin: true }), '"pin" must be pinTools(), not true'],
  ["consent that is switched on", () => to({ consent: true }), '"consent" must be a function, not true'],
  ["a controller in the place of its signal", () => to({ signal: new AbortController() }), "an AbortSignal"],
  ["no revisions", () => to({ revisions: [] }), "revisions is empty; choose from"],
  ["a header as text", () => to({ headers: "a: b" }), '"headers" must be an object or a function'],
  ["no options of a policy", () => (consentPolicy as Loose)(), "consentPolicy takes an object of options"],
  ["an unknown policy", () => (consentPolicy as Loose)({ otherwise: "yes" }), '"allow" or "deny" or "ask"'],
  [
    "a misspelled option of pins",
    () => (pinTools as Loose)({ shareNames: true }),
    'did you mean "sharedNames"?',
  ],
  [
    "arguments as one text",
    () => (stdioTransport as Loose)({ command: "node", args: "x" }),
    '"args" must be an array',
  ],
  [
    "a URL in the options",
    () => (httpTransport as Loose)("http://127.0.0.1", { url: "x" }),
    'has no option "url"',
  ],
  [
    "a URL without a scheme",
    () => (httpTransport as Loose)("127.0.0.1:3000/mcp"),
    "is not an http or https URL",
  ],
  ["an http URL for a WebSocket", () => websocketTransport("http://127.0.0.1"), "is not a ws or wss URL"],
  [
    "a socket without an address",
    () => (socketTransport as Loose)({}),
    "needs a path, of a unix socket, or a port",
  ],
];

test.each(mistakes)("%s is refused at once, in words", async (_, run, says) => {
  const outcome = (async () => run())();
  await expect(outcome).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(says) });
  await expect(outcome).rejects.toBeInstanceOf(McpError);
});

const circular: Record<string, unknown> = {};
circular.self = circular;

test.each([
  ["a BigInt", { id: 1n }, "can't be written as JSON: Do not know how to serialize a BigInt"],
  ["an object that contains itself", circular, "Converting circular structure to JSON"],
])("arguments with %s reject the call with a UsageError, and the client goes on", async (_, args, says) => {
  const running = await serveHttp(server);
  for (const target of [server, running.url]) {
    const client = await connect(target);
    const call = client.tools.call("echo", args);
    await expect(call).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(says) });
    await expect(client.tools.call("echo", {})).resolves.toMatchObject({ content: [{ text: "x" }] });
    await client.close();
  }
  await running.close();
});

test.each([
  [{ timeout: 5 }, 'tools/call: the option "timeout" must be an object, not 5'],
  [{ timout: { idle: 5 } }, 'tools/call has no option "timout"; did you mean "timeout"?'],
  [{ signal: new AbortController() }, 'the option "signal" must be an AbortSignal'],
  [{ timeout: { idle: "5s" } }, '"timeout.idle" must be a number of 0 or more, not "5s"'],
])("a call with the options %o is refused before it is sent", async (options, says) => {
  const client = await connect(server);
  const call = client.tools.call("echo", {}, options as never);
  await expect(call).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(says) });
  await client.close();
});

test.each([
  ["subscribe to a URI", "subscribe", ["test://a"], "client.subscribe takes an object of options"],
  [
    "subscribe to something misspelled",
    "subscribe",
    [{ resource: ["test://a"] }],
    'did you mean "resources"?',
  ],
  ["listen with nothing", "onNotification", [], "client.onNotification takes a function, not undefined"],
  ["listen to a name with nothing", "onNotification", ["acme/x"], "client.onNotification takes a function"],
  ["listen to changes with nothing", "onChange", [], "client.onChange takes a function"],
  ["use nothing", "use", [], "client.use takes a function"],
  ["set one root", "setRoots", ["file:///home"], 'Roots are a list of file: URIs, not "file:///home"'],
] as const)("a client that is told to %s refuses, in words", async (_, method, given, says) => {
  const client = await connect(server, { roots: [] });
  const run = async () => (client[method] as Loose).apply(client, [...given]);
  await expect(run()).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(says) });
  await client.close();
});

test.each([
  [
    "a tool by its params",
    "tools",
    "call",
    [{ name: "echo", arguments: { a: 1 } }],
    'client.tools.call takes the name of a tool as a string, not an object; write client.tools.call("echo", { … }).',
  ],
  ["a tool without a name", "tools", "call", [], 'not undefined; write client.tools.call("add", { … }).'],
  [
    "a prompt by its params",
    "prompts",
    "get",
    [{ name: "greet" }],
    'client.prompts.get takes the name of a prompt as a string, not an object; write client.prompts.get("greet").',
  ],
  [
    "a resource by its params",
    "resources",
    "read",
    [{ uri: "note://cats" }],
    'client.resources.read takes a URI as a string, not an object; write client.resources.read("note://cats").',
  ],
  [
    "a template without its variables",
    "resources",
    "read",
    ["note://{folder}/{name}{?page,size}"],
    'client.resources.read needs the variables of the template "note://{folder}/{name}{?page,size}": pass { variables: { folder: "…", name: "…", page: "…", size: "…" } }.',
  ],
] as const)("a client that is asked for %s refuses, in words", async (_, feature, method, given, says) => {
  const full = createServer({ name: "test", version: "1.0.0" });
  full.tool("echo", {}, () => "x");
  full.prompt("greet", {}, () => "x");
  full.resource("note://{folder}/{name}{?page,size}", {}, () => "x");
  await using client = await connect(full);
  const run = async () => (client[feature][method as never] as Loose).apply(client[feature], [...given]);
  await expect(run()).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(says) });
});

test("a call with null for its options is refused in words", async () => {
  const client = await connect(server);
  await expect(client.tools.call("echo", {}, null as never)).rejects.toMatchObject({
    code: "usage",
    message: "client.tools.call takes options as an object, not null.",
  });
  await client.close();
});

test.each(["yes", true, 1])(
  "an ask that answers %o rejects the call, and the tool is not called",
  async (answer) => {
    const consent = consentPolicy({ ask: (() => answer) as never, store: new Map() });
    const client = await connect(server, { consent });
    const call = client.tools.call("echo", {});
    await expect(call).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining('ask must answer "once", "always", "no" or "never"'),
    });
    await client.close();
  },
);

test("a consent that answers with something else than true or false is a no that says so", async () => {
  const client = await connect(server, { consent: (() => "yes") as never });
  await expect(client.tools.call("echo", {})).rejects.toMatchObject({
    code: "consent-refused",
    message: expect.stringContaining('consent answered "yes"; only true allows it'),
  });
  await client.close();
});

test("a command with its arguments in its name says where they belong", async () => {
  await expect(connect({ command: "node server.mjs" })).rejects.toMatchObject({
    code: "process",
    message: expect.stringContaining('write its arguments as "args"'),
  });
});

test("https to a port that speaks http says so", async () => {
  const running = await serveHttp(server);
  await expect(connect(running.url.replace("http:", "https:"))).rejects.toMatchObject({
    code: "call-lost",
    message: expect.stringContaining("does not speak https"),
  });
  await running.close();
});

test("http to a port that speaks something else is an error of ours", async () => {
  const tcp = createTcpServer((socket) => socket.end("220 mail.example\r\n")).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  await expect(connect(`http://127.0.0.1:${port}/mcp`)).rejects.toMatchObject({ code: "call-lost" });
  tcp.close();
});

test.skipIf(process.platform === "win32")(
  "a program that sends back what it is sent is no server",
  async () => {
    await expect(connect("cat")).rejects.toMatchObject({
      code: "process",
      message:
        'The process "cat" sends back what it is sent: it is no MCP server, or a terminal stands before it.',
    });
  },
);
