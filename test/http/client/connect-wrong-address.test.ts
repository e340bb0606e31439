import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/client.ts";
import { CallLostError, HttpError, ProcessError } from "../../../src/errors.ts";
import { createServer } from "../../../src/index.ts";
import { serveHttp } from "../../../src/node.ts";
import { ScriptedHttp, type Visit } from "../../support/http/scripted-http.ts";
import { failure } from "../../support/open-client.ts";

async function deadPort(): Promise<number> {
  const server = createHttpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("connecting to where there is no server", () => {
  test("says that the connection was refused, where, and what to check", async () => {
    const url = `http://127.0.0.1:${await deadPort()}/mcp`;
    const error = await failure(connect(url));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error.message).toContain(`Can't reach ${url}: connection refused (ECONNREFUSED)`);
    expect(error.message).toContain("check that the server runs");
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
  });

  test("says that a port may not be used, where fetch forbids it", async () => {
    const error = await failure(connect("http://127.0.0.1:9/mcp", { fetch }));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error.message).toContain("Can't reach http://127.0.0.1:9/mcp: fetch may not use port 9");
  });

  test("with the wrong path is an HttpError that names the URL and the status", async () => {
    const running = await serveHttp(createServer({ name: "here", version: "1" }));
    onTestFinished(() => running.close());
    const url = new URL("/elsewhere", running.url).href;
    const error = await failure(connect(url));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status: 404 });
    expect(error.message).toContain(`${url} was answered with 404`);
  });
});

test("connecting to a server that stays busy ends with its last answer in the error", async () => {
  const refuse = (visit: Visit) => visit.send(503, "The store is away.", { "retry-after": "1" });
  const server = await ScriptedHttp.start(refuse);
  const error = await failure(connect(server.url, { openTimeout: 2_000, hints: new Map() }));
  expect(error).toMatchObject({ code: "timeout", cause: { code: "http", status: 503 } });
  expect(error.message).toContain("raise openTimeout if it may.");
  expect(error.message).toContain(
    `${server.url} was answered with 503 Service Unavailable: The store is away.`,
  );
});

describe("an address without its scheme", () => {
  test.each([
    "127.0.0.1:9/mcp",
    "localhost:3000",
    "[::1]:3000/mcp",
    "example.invalid/mcp",
    "ftp://127.0.0.1/mcp",
  ])("%s is taken for a program, and the error says how to write a URL", async (text) => {
    const error = await failure(connect(text));
    expect(error).toBeInstanceOf(ProcessError);
    expect(error.message).toMatch(/there is no such program.*http:\/\//s);
  });

  test.each([
    "no-such-program",
    "no-such-program --url localhost:3000",
    "./no/such/program",
    "bin/no-such-program",
  ])("%s does not look like one", async (text) => {
    const error = await failure(connect(text));
    expect(error).toBeInstanceOf(ProcessError);
    expect(error.message).not.toContain("http://");
  });
});
