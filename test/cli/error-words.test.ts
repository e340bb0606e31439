// The messages of the command name its own options, and not those of the library.
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "allspeak";
import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
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

test("an unknown option names the verb whose help to read", async () => {
  const { code, stderr } = await runCommand(["list", "everything", "--lnog"]);
  expect(stderr).toContain("See allspeak list --help.");
  expect(code).toBe(2);
});
