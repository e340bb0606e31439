// The messages of the command name its own options, and not those of the library.
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { createServer } from "allspeak";
import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { ScriptedHttp, sessionScript } from "../support/http/scripted-http.ts";
import { runCommand } from "./support/run-command.ts";

/** A web server that gives every request the same answer. */
async function answering(status: number, type: string, body: string): Promise<string> {
  const web = createHttpServer((_request, response) => {
    response.writeHead(status, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void web.close(() => resolve())));
  return `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
}

/** A port that is not one of a web server. */
async function listening(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test("a call that takes too long is told of --timeout", async () => {
  const server = createServer({ name: "slow", version: "1" });
  server.tool(
    "never",
    {},
    (_args, ctx) => new Promise((_, reject) => ctx.signal.addEventListener("abort", reject)),
  );
  const { url, close } = await serveHttp(server);
  onTestFinished(() => close(0));
  const { code, stderr } = await runCommand(["call", url, "never", "--timeout", "0.3"]);
  expect(stderr).toContain("--timeout SECONDS");
  expect(stderr).not.toMatch(/timeout\.(total|idle)/);
  expect(code).toBe(7);
});

test("a server that wants credentials is told of allspeak login and --header", async () => {
  const url = await answering(401, "text/plain", "");
  const { code, stderr } = await runCommand(["list", url, "--header", "Authorization: Bearer wrong"]);
  expect(stderr).toContain(`allspeak login ${url}`);
  expect(stderr).toContain("--header 'Authorization: Bearer");
  expect(stderr).not.toContain("oauth()");
  expect(code).toBe(4);
});

test("a program that ends says where to find more of its output", async () => {
  const program = `${process.execPath} -e "console.error('first'); console.error('boom'); process.exit(3)"`;
  const { stderr } = await runCommand(["list", program]);
  expect(stderr).toContain("boom");
  expect(stderr).toContain("--debug shows all of it");
  expect(stderr).not.toContain("of this error");
});

test("a tool that was refused says so in words for a person", async () => {
  const { code, stderr } = await runCommand(["call", "./shop.mjs", "remove"]);
  expect(stderr).toContain('The tool "remove" was not allowed to run.');
  expect(stderr).not.toContain("The host");
  expect(code).toBe(6);
});

test.each([
  [200, "application/json", "not JSON"],
  [500, "text/plain", "broken"],
])("an answer %i of %s that is no message is told with its URL", async (status, type, body) => {
  const url = await answering(status, type, body);
  expect((await runCommand(["list", url])).stderr).toContain(url);
});

test.each<[string, (url: string) => string, string, number]>([
  ["a page", (url) => url.replace("/mcp", "/"), "often at /mcp", 5],
  ["the usual path", (url) => url, "something else than an MCP server may be there", 5],
])("a web page at %s is told, and what to check", async (_, toTarget, says, expected) => {
  const url = toTarget(await answering(200, "text/html", "<title>Hello</title>"));
  const { code, stderr } = await runCommand(["list", url]);
  expect(stderr).toContain(`${url}: initialize was answered with 200 and an HTML page ("Hello").`);
  expect(stderr).toContain(says);
  expect(code).toBe(expected);
});

test("a path without an endpoint is told", async () => {
  const url = await answering(404, "text/html", "<title>Not here</title>");
  const { code, stderr } = await runCommand(["call", url, "x"]);
  expect(stderr).toContain(`POST ${url} was answered with 404 Not Found: a page, "Not here"`);
  expect(stderr).toContain("There is no MCP endpoint at this path.");
  expect(code).toBe(3);
});

test("a port that speaks something else is told", async () => {
  const url = await listening((socket) => void socket.end("SSH-2.0-OpenSSH\r\n"));
  const { code, stderr } = await runCommand(["list", url]);
  expect(stderr).toContain(`${url} answers with what is not HTTP: "SSH-2.0-OpenSSH".`);
  expect(code).toBe(3);
});

test("a silent port is told when the time is over", async () => {
  const url = await listening(() => {});
  const { code, stderr } = await runCommand(["list", url, "--timeout", "0.3"]);
  expect(stderr).toContain("--timeout SECONDS allows more.");
  expect(stderr).toContain(`${url} has sent nothing.`);
  expect(code).toBe(7);
});

test("Ctrl-C ends a list that a server does not answer", async () => {
  const interruption = new AbortController();
  const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
  const unanswered = Object.fromEntries(lists.map((method) => [method, () => {}]));
  const server = await ScriptedHttp.start(sessionScript("2025-11-25", unanswered));
  const running = runCommand(["list", server.url], { signal: interruption.signal });
  await server.saw("tools/list");
  interruption.abort();
  expect(await running).toMatchObject({ code: 130, stdout: "", stderr: "" });
});

test("a person who waits for a silent server is told what for, and how to end it", async () => {
  const url = await listening(() => {});
  const interruption = new AbortController();
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  let noted = "";
  const isNoted = new Promise<void>((resolve) => {
    stderr.on("data", (chunk) => {
      noted += chunk;
      if (noted.includes("Ctrl-C ends it.")) resolve();
    });
  });
  const running = runCommand(["list", url], { signal: interruption.signal, stderr });
  await isNoted;
  interruption.abort();
  await running;
  expect(noted).toContain(`Waiting for an answer of ${url}; Ctrl-C ends it.`);
});

test("an unknown option names the verb whose help to read", async () => {
  const { code, stderr } = await runCommand(["list", "everything", "--lnog"]);
  expect(stderr).toContain("See allspeak list --help.");
  expect(code).toBe(2);
});
