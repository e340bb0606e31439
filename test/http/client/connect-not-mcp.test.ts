// Connecting to something else than an MCP server: the error says what is there, and what to do.
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ConnectOptions, connect } from "../../../src/client.ts";
import { CallLostError, HttpError, InvalidResponseError, TimeoutError } from "../../../src/errors.ts";
import { type Handler, ScriptedHttp, type Visit } from "../../support/http/scripted-http.ts";
import { selfSigned } from "../../support/http/self-signed.ts";
import { failure } from "../../support/open-client.ts";

const html = { "content-type": "text/html; charset=utf-8" };
const page = "<!doctype html>\n<html><head><title>\n  My  App </title></head><body>Hi</body></html>";

/** The error of connecting to a server that does the same with every request. */
async function failureAt(handler: Handler, path = "/", options: ConnectOptions = {}): Promise<Error> {
  const server = await ScriptedHttp.start(handler);
  const url = new URL(path, server.url).href;
  const error = await failure(connect(url, { hints: new Map(), ...options }));
  expect(error.message).toContain(url);
  return error;
}

describe("a web server without an MCP endpoint", () => {
  test("that answers with a page is named by the page, and the usual path is advised", async () => {
    const error = await failureAt((visit) => visit.send(200, page, html));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.message).toContain('an HTML page ("My App")');
    expect(error.message).toContain("often at /mcp");
  });

  test("that answers with a page at the usual path is not said to lack that path", async () => {
    const error = await failureAt((visit) => visit.send(200, page, html), "/mcp");
    expect(error.message).toContain("Check the URL");
    expect(error.message).not.toContain("often at /mcp");
  });

  test("that answers with other JSON is named by what it said", async () => {
    const error = await failureAt((visit) => visit.json({ status: "ok", version: "\u001b[31m7" }), "/api");
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.message).toContain("JSON that is not a message of MCP: ");
    expect(error.message).toContain('"status":"ok"');
    expect(error.message).toContain("often at /mcp");
    expect(error.message).not.toContain("\u001b");
  });

  test("that answers with nothing is named so", async () => {
    const error = await failureAt((visit) => visit.send(204));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.message).toContain("204 and nothing");
    expect(error.message).toContain("often at /mcp");
  });

  test.each([404, 405, 501])(
    "that answers with %i is said to have no endpoint at this path",
    async (status) => {
      const error = await failureAt((visit) => visit.send(status, page, html), "/wrong");
      expect(error).toBeInstanceOf(HttpError);
      expect(error).toMatchObject({ status });
      expect(error.message).toContain(`was answered with ${status}`);
      expect(error.message).toContain("no MCP endpoint at this path");
      expect(error.message).toContain("often at /mcp");
    },
  );

  test("whose words lack a full stop gets one before the advice", async () => {
    const error = await failureAt((visit) => visit.send(404, "no such page"), "/wrong");
    expect(error.message).toContain("404 Not Found: no such page. There is no MCP endpoint at this path.");
  });

  test("that speaks only of the newest revision is told the same", async () => {
    const answer: Handler = (visit) => visit.send(404, page, html);
    const error = await failureAt(answer, "/", { revisions: ["2026-07-28"] });
    expect(error).toBeInstanceOf(HttpError);
    expect(error.message).toContain("no MCP endpoint at this path");
  });

  test("that names its endpoint is believed", async () => {
    const said = 'There is nothing at "/"; the MCP endpoint of this server is /tools.';
    const error = await failureAt((visit) =>
      visit.json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: said } }, {}, 404),
    );
    expect(error.message).toContain(said);
    expect(error.message).not.toContain("often at /mcp");
  });

  test.each([
    [400, "Missing header X-Api-Key"],
    [402, '{"error":"quota used up"}'],
    [415, "send application/json"],
  ])("that answers with %i is not said to lack an endpoint", async (status, said) => {
    const error = await failureAt((visit) => visit.send(status, said));
    expect(error).toMatchObject({ code: "http", status });
    expect(error.message).toContain(said);
    expect(error.message).not.toContain("/mcp");
  });

  test.each(["", "Not Found", "No"])(
    "is named by the title of its page where %j is the reason of its status",
    async (statusText) => {
      const shop = "<html><title>No seats left</title></html>";
      const answer = async () => new Response(shop, { status: 404, statusText, headers: html });
      const error = await failure(connect("https://shop.example/mcp", { fetch: answer, hints: new Map() }));
      expect(error.message).toContain('a page, "No seats left"');
    },
  );

  test.each(["404 Not Found", "Not Found", "404"])(
    "is not named by a title that repeats the status: %s",
    async (title) => {
      const error = await failureAt((visit) => visit.send(404, `<title>${title}</title>`, html));
      expect(error.message).toContain("404 Not Found");
      expect(error.message).not.toContain("a page");
    },
  );

  test("that is a proxy whose server is away is not said to lack an endpoint", async () => {
    const error = await failureAt((visit) => visit.send(502, page, html), "/", { openTimeout: 1_000 });
    expect(error.message).toContain("502");
    expect(error.message).not.toContain("often at /mcp");
  });
});

/** Opens a port for the length of a test. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => void sockets.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

/** The error of connecting to a port that is not HTTP. */
async function failureAtPort(
  onSocket: (socket: Socket) => void,
  options: ConnectOptions = {},
): Promise<Error> {
  const url = `http://127.0.0.1:${await listen(createTcpServer(onSocket))}/mcp`;
  const error = await failure(connect(url, { hints: new Map(), ...options }));
  expect(error.message).toContain(url);
  return error;
}

/** The two ways to make requests. */
const senders: readonly [string, ConnectOptions][] = [
  ["node:http", {}],
  ["fetch", { fetch: (...given) => fetch(...given) }],
];

describe.each(senders)("by %s, a port that does not speak HTTP", (_, options) => {
  test("is named by what it says", async () => {
    const error = await failureAtPort(
      (socket) => socket.end("SSH-2.0-OpenSSH_9.2p1 \u001b[31m\r\n"),
      options,
    );
    expect(error).toBeInstanceOf(CallLostError);
    expect(error.message).toContain('is not HTTP: "SSH-2.0-OpenSSH_9.2p1');
    expect(error.message).toContain("Check that an HTTP server listens on this port");
    expect(error.message).not.toContain("\u001b");
  });

  test("and closes without a word is said to do so, with what to check", async () => {
    const error = await failureAtPort((socket) => socket.on("data", () => socket.destroy()), options);
    expect(error).toBeInstanceOf(CallLostError);
    expect(error.message).toContain("broke off before it answered");
    expect(error.message).toContain("Check that an HTTP server listens on this port");
    expect(error.message).toContain("https://");
  });

  test("and is silent is said to be so when the time is over", async () => {
    const error = await failureAtPort(() => {}, { ...options, openTimeout: 300 });
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toContain("has sent nothing");
    expect(error.message).toContain("Check that an HTTP server listens on this port");
  });
});

test("http to a port of TLS advises https", async () => {
  const port = await listen(createTlsServer(selfSigned));
  const error = await failure(connect(`http://127.0.0.1:${port}/mcp`, { hints: new Map() }));
  expect(error).toBeInstanceOf(CallLostError);
  expect(error.message).toContain("https://");
});

test.each([
  [
    "nginx",
    "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
    html,
  ],
  ["Go", "Client sent an HTTP request to an HTTPS server.\n", { "content-type": "text/plain" }],
])("http to the https port of %s, which says so, advises https", async (_, body, headers) => {
  const error = await failureAt((visit) => visit.send(400, body, headers), "/mcp");
  expect(error).toBeInstanceOf(HttpError);
  expect(error.message).toContain("Begin the URL with https://");
});

describe.each(senders)("by %s, https", (_, options) => {
  test("to a port without TLS advises http", async () => {
    const server = await ScriptedHttp.start((visit) => visit.send(404));
    const url = server.url.replace("http:", "https:");
    const error = await failure(connect(url, { hints: new Map(), ...options }));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error.message).toContain("does not speak https");
    expect(error.message).toContain("begin the URL with http://");
  });

  test("with a certificate that is not trusted says so, and how to trust it", async () => {
    const port = await listen(createTlsServer(selfSigned));
    const url = `https://127.0.0.1:${port}/mcp`;
    const error = await failure(connect(url, { hints: new Map(), ...options }));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error.message).toContain(`The certificate of ${url} is not trusted`);
    expect(error.message).toContain("NODE_EXTRA_CA_CERTS");
  });
});

test("an event stream that names no endpoint is named so within seconds", async () => {
  const error = await failureAt((visit) => {
    if (visit.method === "GET") visit.stream().write(": hello\n\n");
    else visit.send(405);
  }, "/sse");
  expect(error).toBeInstanceOf(HttpError);
  expect(error.message).toContain("405");
  expect(error.message).toContain("no MCP endpoint at this path");
});

/** Answers `initialize` so, and knows nothing else. */
const initializing =
  (answer: Handler): Handler =>
  (visit) =>
    visit.what === "initialize" ? answer(visit) : visit.error(-32601, "no");

describe("a server of MCP is not taken for something else", () => {
  test.each<[string, Handler]>([
    ["an empty result", (visit) => visit.result({})],
    ["a response to something else", (visit) => visit.json({ jsonrpc: "2.0", id: 77, result: {} })],
  ])("when it answers initialize with %s", async (_, answer) => {
    const error = await failureAt(initializing(answer), "/", { onProblem: () => {} });
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.message).not.toMatch(/\/mcp|something else/);
  });

  test("when its stream of events ends without an answer", async () => {
    const error = await failureAt(initializing((visit) => visit.stream().write(": hi\n\n").end()));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error.message).toContain("has opened a stream of events");
    expect(error.message).not.toContain("Check that an HTTP server listens");
  });
});

test("an event stream that ends instead of answering is named so", async () => {
  let stream: Visit | undefined;
  const error = await failureAt((visit) => {
    if (visit.method === "GET") stream = visit.stream().event("/messages", { event: "endpoint" });
    else if (visit.path === "/messages") {
      visit.send(202);
      stream?.end();
    } else visit.send(404);
  }, "/sse");
  expect(error).toBeInstanceOf(CallLostError);
  expect(error.message).toContain("has opened a stream of events");
});
