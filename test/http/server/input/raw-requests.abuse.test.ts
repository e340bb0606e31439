import { type HttpServerHandle, serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFixture } from "../../../support/http/fixture.ts";
import { RawSocket, toResponses } from "../../../support/http/raw-socket.ts";
import { alive, assertProper, chunk, chunked, good, head, lines, size, text } from "./raw-call.ts";

/** What no client should send. */
const corpus: readonly [what: string, bytes: string][] = [
  ["nothing", ""],
  ["an empty line", "\r\n"],
  ["only a line feed", "\n\n"],
  ["garbage", "\u0000\u0001\u0002\u00ff\u00fe garbage\r\n\r\n"],
  ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/0.9", "GET /mcp\r\n"],
  ["HTTP/1.0 without a host", `POST /mcp HTTP/1.0\r\n${lines}${size}\r\n${text}`],
  ["HTTP/3.0", good.replace("HTTP/1.1", "HTTP/3.0")],
  ["HTTP/1.1 in small letters", good.replace("HTTP/1.1", "http/1.1")],
  ["a version without a number", good.replace("HTTP/1.1", "HTTP/")],
  ["a method that is none", good.replace("POST", "BREW")],
  ["a method in small letters", good.replace("POST", "post")],
  ["a method of a kilobyte", good.replace("POST", "P".repeat(1000))],
  ["CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["TRACE", "TRACE /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["no path", good.replace(" /mcp ", " ")],
  ["an absolute URL of somebody else", good.replace("/mcp", "http://evil.example/mcp")],
  ["an authority for a path", good.replace("/mcp", "//evil.example/mcp")],
  ["a star for a path", good.replace("/mcp", "*")],
  ["a path with dots", good.replace("/mcp", "/x/../mcp")],
  ["a path with escapes", good.replace("/mcp", "/%6dcp")],
  ["a path with a NUL", good.replace("/mcp", "/mcp\u0000")],
  ["a path of 20 KB", good.replace("/mcp", `/mcp?${"x".repeat(20_000)}`)],
  ["a path with a space", good.replace("/mcp", "/m cp")],
  ["TE and CL", `${head}${size}${chunked}\r\n${chunk}`],
  ["TE and CL, smuggling a request", `${head}Content-Length: 4\r\n${chunked}\r\n${chunk}${good}`],
  ["two CL that differ", `${head}${size}Content-Length: 1\r\n\r\n${text}`],
  ["two CL that agree", `${head}${size}${size}\r\n${text}`],
  ["CL with a list", `${head}Content-Length: ${text.length}, ${text.length}\r\n\r\n${text}`],
  ["CL with a sign", `${head}Content-Length: +${text.length}\r\n\r\n${text}`],
  ["CL below zero", `${head}Content-Length: -1\r\n\r\n${text}`],
  ["CL in hexadecimal", `${head}Content-Length: 0x10\r\n\r\n${text}`],
  ["CL beyond all numbers", `${head}Content-Length: 99999999999999999999\r\n\r\n${text}`],
  ["CL of 64 MB", `${head}Content-Length: 67108864\r\n\r\n${text}`],
  ["CL that is empty", `${head}Content-Length:\r\n\r\n${text}`],
  ["CL shorter than the body", `${head}Content-Length: 10\r\n\r\n${text}`],
  ["no length at all", `${head}\r\n${text}`],
  ["TE that is not the last word", `${head}Transfer-Encoding: chunked, identity\r\n\r\n${chunk}`],
  ["TE twice", `${head}${chunked}${chunked}\r\n${chunk}`],
  ["TE with a tab", `${head}Transfer-Encoding:\tchunked\r\n\r\n${chunk}`],
  ["TE in disguise", `${head}Transfer-Encoding: xchunked\r\n\r\n${chunk}`],
  ["TE with a space before the colon", `${head}Transfer-Encoding : chunked\r\n\r\n${chunk}`],
  ["TE in HTTP/1.0", `${head}${chunked}\r\n${chunk}`.replace("HTTP/1.1", "HTTP/1.0")],
  ["a chunk size that is none", `${head}${chunked}\r\nzz\r\n${text}\r\n0\r\n\r\n`],
  ["a chunk size below zero", `${head}${chunked}\r\n-5\r\n${text}\r\n0\r\n\r\n`],
  ["a chunk size beyond all numbers", `${head}${chunked}\r\nffffffffffffffffff\r\n${text}`],
  ["a chunk longer than its size", `${head}${chunked}\r\n5\r\n${text}\r\n0\r\n\r\n`],
  [
    "a bad chunk extension",
    `${head}${chunked}\r\n${text.length.toString(16)};\u0000=\r\n${text}\r\n0\r\n\r\n`,
  ],
  ["a chunk extension of 100 KB", `${head}${chunked}\r\n5;${"x".repeat(100_000)}\r\nhello\r\n0\r\n\r\n`],
  ["chunks ended by line feeds", `${head}${chunked}\r\n${chunk.replaceAll("\r\n", "\n")}`],
  ["a trailer that names the host", `${head}${chunked}\r\n${chunk.slice(0, -2)}Host: evil.example\r\n\r\n`],
  ["headers of 100 KB", `${head}X-Long: ${"x".repeat(100_000)}\r\n${size}\r\n${text}`],
  ["3,000 headers", `${head}${"X: y\r\n".repeat(3000)}${size}\r\n${text}`],
  ["obs-fold", `${head}X-Folded: a\r\n b\r\n${size}\r\n${text}`],
  ["obs-fold on the first header", good.replace("Host:", " Host:")],
  ["only line feeds", good.replaceAll("\r\n", "\n")],
  ["a carriage return in a header", good.replace("localhost", "local\rhost")],
  ["a NUL in a header", good.replace("localhost", "local\u0000host")],
  ["a header without a colon", good.replace("Host: localhost", "Host localhost")],
  ["a header without a name", `${head}: value\r\n${size}\r\n${text}`],
  ["a space before the colon", good.replace("Host:", "Host :")],
  ["two hosts", `${head}Host: evil.example\r\n${size}\r\n${text}`],
  ["an expectation", `${head}Expect: a-miracle\r\n${size}\r\n${text}`],
  ["an upgrade to nothing known", `${head}Connection: Upgrade\r\nUpgrade: tea\r\n${size}\r\n${text}`],
  ["a body with a GET", good.replace("POST", "GET")],
  ["two requests at once", good + good],
  ["a request after garbage", `garbage\r\n\r\n${good}`],
];

describe("chunked, obs-fold, line feeds: what is hardly HTTP", () => {
  const fixture = createFixture();
  let running: HttpServerHandle;
  beforeAll(async () => {
    running = await serveHttp(fixture.server);
  });
  afterAll(() => running.close(0));

  it("has at least 60 cases", () => expect(corpus.length).toBeGreaterThanOrEqual(60));

  it.each(corpus)("%s", async (what, bytes) => {
    const before = fixture.entered();
    const raw = new RawSocket(running.port).write(Buffer.from(bytes, "latin1"));
    raw.socket.end();
    const said = await raw.end();
    const responses = toResponses(said);
    // Whatever came is whole answers, and never more than there were requests.
    expect(said === "" || responses.length > 0).toBe(true);
    expect(responses.length).toBeLessThanOrEqual(2);
    for (const response of responses) assertProper(response);
    const mayRun = what === "two requests at once" ? 2 : 1;
    expect(fixture.entered() - before).toBeLessThanOrEqual(mayRun);
    if (/smuggling|TE and CL|differ|disguise|last word/.test(what)) expect(fixture.entered()).toBe(before);
    expect(await alive(running)).toBe(200);
  });
});
