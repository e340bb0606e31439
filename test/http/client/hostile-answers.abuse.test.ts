// What a hostile server may answer on the wire, below everything that an HTTP library would let it say.
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { httpTransport, McpError } from "allspeak/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openHttpSender } from "../../../src/node/http-sender.ts";
import type { ReceivedResponse } from "../../../src/transports/http/client/http-exchange.ts";
import { failure, openClient } from "../../support/open-client.ts";

/** A server that writes bytes. `answer` gets every request as text. */
async function serveBytes(answer: (socket: Socket, request: string) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk;
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      const request = text;
      text = "";
      answer(socket, request);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

const toResponse = (head: string, body: string | Uint8Array = "") => {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${head}\r\ncontent-length: ${bytes.length}\r\n\r\n`, "latin1"),
    bytes,
  ]);
};

describe("a client", () => {
  test.each([
    "600 Odd",
    "999 Odd",
    "000 Odd",
    "401 \x01\x02",
    "401 \xff\xfe",
    "401 a\r\nwww-authenticate: Bearer \xff",
    "401 a\r\nx-odd: \x80\r\nlocation: \x07",
    "204 a\r\ncontent-type: application/json",
    "101 Switching\r\nupgrade: websocket\r\nconnection: upgrade",
    "307 a\r\nlocation: javascript:alert(1)",
    "302 a\r\nlocation: http://[",
    "200 OK\r\ncontent-encoding: gzip, gzip, gzip",
    "200 OK\r\ntransfer-encoding: chunked",
    "200 OK\r\ncontent-length: 5",
  ])("reports an answer %j as an error of its own", async (head) => {
    const url = await serveBytes((socket) => socket.write(toResponse(head)));
    const auth = { authorize: () => ({}), onResponse: () => "keep" as const };
    const error = await failure(openClient(httpTransport(url, { auth })));
    expect(error).toBeInstanceOf(McpError);
  });

  test.each([
    ["gzip", gzipSync],
    [
      "br",
      (text: Uint8Array) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
    ],
  ] as const)("decodes nothing more of a %s answer once it has given it up", async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(8 * 1024 * 1024));
    const url = await serveBytes((socket) =>
      socket.write(toResponse(`200 OK\r\ncontent-encoding: ${encoding}`, bomb)),
    );
    const send = await openHttpSender(url);
    const request = { method: "GET", headers: {}, signal: new AbortController().signal };
    const given = await send(url, request);
    let pieces = 0;
    await given.readBody(() => {
      pieces++;
      given.discardBody();
    });
    const refused = await send(url, request);
    await failure(
      refused.readBody(() => {
        pieces++;
        throw new Error("Too much.");
      }),
    );
    // A whole answer after them: by then leftovers would have arrived.
    const last = await send(url, request);
    await last.readBody(() => {});
    expect(pieces).toBe(2);
  });

  test("gives up a server that announces an answer without end and never sends it", async () => {
    let flooded = () => {};
    const isFlooded = new Promise<void>((resolve) => {
      flooded = resolve;
    });
    let isClosed: Promise<unknown> = Promise.resolve();
    const url = await serveBytes((socket, request) => {
      const { id, method } = JSON.parse(request.slice(request.indexOf("\r\n\r\n") + 4));
      if (method === "server/discover")
        return socket.write(toResponse("200 OK\r\ncontent-type: application/json", toDiscovery(id)));
      isClosed = new Promise((resolve) => socket.once("close", resolve));
      const announce = (left: number) => {
        if (left === 0) flooded();
        if (!socket.destroyed)
          socket.write("HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n", () => announce(left - 1));
      };
      announce(1_000);
    });
    const client = await openClient(url.href, { revisions: ["2026-07-28"] });
    const stop = new AbortController();
    const call = failure(client.tools.call("t", {}, { signal: stop.signal }));
    await isFlooded;
    stop.abort();
    expect(await call).toBeInstanceOf(McpError);
    await isClosed;
  });

  test("takes no answer that comes unasked for that of its next request", async () => {
    const url = await serveBytes((socket, request) => {
      const own = toResponse("200 OK", request.slice(0, request.indexOf(" HTTP")));
      socket.write(Buffer.concat([own, toResponse("200 OK", "unasked")]));
    });
    const send = await openHttpSender(url);
    for (const path of ["/a", "/b", "/c"]) {
      const target = new URL(path, url);
      const request = { method: "GET", headers: {}, signal: new AbortController().signal };
      const answer = await send(target, request).catch((error: unknown) => error);
      // The connection may be given up before the answer is read, and is not used again.
      if (answer instanceof McpError) continue;
      const pieces: Uint8Array[] = [];
      await (answer as ReceivedResponse).readBody((piece) => pieces.push(piece)).catch(() => {});
      expect(["", `GET ${path}`]).toContain(Buffer.concat(pieces).toString());
    }
  });
});

describe("a page in the place of an answer", () => {
  const html = "content-type: text/html";

  /** The error of connecting to a server that always answers so, and the processor time until then. */
  async function refuse(head: string, body: string) {
    const url = await serveBytes((socket) => socket.write(toResponse(head, body)));
    const before = process.cpuUsage();
    const error = await failure(openClient(url.href, { hints: new Map() }));
    return { error, ms: process.cpuUsage(before).user / 1_000 };
  }

  test.each(["200 OK", "404 Not Found"])("by %s takes no time for titles without an end", async (status) => {
    const short = await refuse(`${status}\r\n${html}`, "<title");
    const long = await refuse(`${status}\r\n${html}`, "<title".repeat(50_000));
    expect(long.error).toBeInstanceOf(McpError);
    expect(long.ms - short.ms).toBeLessThan(500);
  });

  test.each(["[", '{"":'])("is not parsed when it is %s over and over", async (opening) => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const { error } = await refuse("200 OK\r\ncontent-type: application/json", opening.repeat(200_000));
    expect(error.message).toContain("JSON that is not a message of MCP");
    expect(error.message.length).toBeLessThan(400);
    expect(parse.mock.calls.filter(([text]) => String(text).length > 10_000)).toEqual([]);
  });

  test.each([
    '{"access_token":"hidden-abcdef","token_type":"bearer"}',
    '{"user":{"name":"x","password": "hidden 1"}}',
    "Your token is: Bearer hidden.abcdef",
  ])("is shown without its secrets: %s", async (body) => {
    const { error } = await refuse("200 OK\r\ncontent-type: application/json", body);
    expect(error.message).toContain("not a message of MCP: ");
    expect(error.message).toContain("***");
    expect(error.message).not.toContain("hidden");
  });
});

function toDiscovery(id: unknown): string {
  const result = {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "public",
  };
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}
