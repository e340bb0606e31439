import { connect as connectSocket } from "node:net";
import { createServer, tool } from "allspeak";
import { type HttpServerHandle, serveHttp, websocketLimits } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { call, handshake, toFrame } from "./fixtures/frames.ts";

describe("CVE-2025-66414 and its kin: an upgrade under a foreign name or from a foreign page", () => {
  const runs: string[] = [];
  const identified: string[] = [];
  let running: HttpServerHandle;

  beforeAll(async () => {
    const touch = tool("touch", {}, () => {
      runs.push("touch");
      return "touched";
    });
    const server = createServer({ name: "guarded", version: "1.0.0", tools: [touch] });
    running = await serveHttp(server, {
      websocket: new WebSocketServer(websocketLimits()),
      identify: ({ path }) => void identified.push(path),
    });
  });
  afterAll(() => running.close(0));

  test.each([
    ["Host: evil.example"],
    ["Host: 127.0.0.1.evil.example"],
    ["Host: localhost@evil"],
    ["X-No: host"],
    ["Host: localhost", "Origin: http://evil.example"],
    ["Host: localhost", "Origin: null"],
    ["Host: localhost", "Origin: http://localhost.evil"],
    ["Host: localhost", "Origin: http://localhost:1"],
    ["Host: localhost", "Origin: ::unparsable::"],
    ["Host: localhost", "Sec-Fetch-Site: cross-site"],
  ])("%s %s is refused with 403, and nothing runs", async (...headers) => {
    const answer = await upgrade(running.port, headers);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] as string)).toMatchObject({
      jsonrpc: "2.0",
      error: { code: -32600 },
    });
    expect(runs).toEqual([]);
    expect(identified).toEqual([]);
  });

  test("our own name is let in", async () => {
    const answer = await upgrade(running.port, ["Host: localhost", "Origin: http://localhost"]);
    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  });

  /** The head of the answer to an upgrade after which a call comes at once, as from an impatient attacker. */
  async function upgrade(port: number, headers: string[]): Promise<string> {
    const socket = connectSocket(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(`${["GET /mcp HTTP/1.1", ...headers, ...handshake].join("\r\n")}\r\n\r\n`);
    socket.write(toFrame(0x81, call("touch", {})));
    let answer = "";
    for await (const chunk of socket.setEncoding("latin1")) {
      answer += chunk;
      // The server ends a connection that it refuses, and keeps one that it lets in.
      if (answer.startsWith("HTTP/1.1 101 ")) break;
    }
    return answer;
  }
});
