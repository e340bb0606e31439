import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { openSession, toInitialize } from "../../support/http/raw-session.ts";
import { RawSocket, toRequestText, toResponses } from "../../support/http/raw-socket.ts";
import { callNewest, toNewest } from "../../support/http/stateless-request.ts";

const program = fileURLToPath(new URL("fixtures/http-measured.mjs", import.meta.url));
const mebibyte = 1024 * 1024;

interface Measured {
  readonly rss: number;
  readonly offered: number;
  readonly aborted: number;
}

let child: ChildProcess;
let port: number;
beforeEach(async () => {
  child = fork(program, { execArgv: ["--expose-gc"] });
  [{ port }] = (await once(child, "message")) as [{ port: number }];
});
afterEach(async () => {
  child.send("close");
  await once(child, "exit");
});

async function measure(message: object = {}): Promise<Measured> {
  child.send(message);
  const [measured] = (await once(child, "message")) as [Measured];
  return measured;
}

const json = { "content-type": "application/json" };
const params = (careless: boolean) => ({ name: "flood", arguments: { careless } });
const logs = { meta: { "io.modelcontextprotocol/logLevel": "info" } };
const newest = (careless: boolean) => toNewest("tools/call", params(careless), logs);

/** A request whose answer nobody reads. */
function ignored(request: { headers: Record<string, string | undefined>; body: object }): RawSocket {
  const raw = new RawSocket(port);
  raw.socket.pause();
  return raw.write(toRequestText(request));
}

async function inSession(careless: boolean): Promise<RawSocket> {
  const session = await openSession(`http://127.0.0.1:${port}/mcp`, "2025-11-25");
  const headers = { ...json, ...(session.headers as Record<string, string>) };
  return ignored({
    headers,
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: params(careless) },
  });
}

/** The stream of HTTP+SSE, read as far as the session is open and no further. */
async function overSse(): Promise<RawSocket> {
  const origin = `http://127.0.0.1:${port}`;
  const raw = new RawSocket(port).write("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const seen = await raw.until((text) => text.includes("sessionId="));
  const url = `${origin}${/data: (\S+)/.exec(seen)?.[1]}`;
  await exchange(url, { headers: json, body: toInitialize("2024-11-05") });
  await raw.until((text) => text.includes("protocolVersion"));
  await exchange(url, { headers: json, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
  raw.socket.pause();
  await exchange(url, {
    headers: json,
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: params(false) },
  });
  return raw;
}

const readers: [name: string, isCareless: boolean, open: () => Promise<RawSocket | undefined>][] = [
  ["the newest revision", false, async () => ignored(newest(false))],
  ["the newest revision, whose handler does not wait", true, async () => ignored(newest(true))],
  ["a session", false, () => inSession(false)],
  ["a session, whose handler does not wait", true, () => inSession(true)],
  ["HTTP+SSE", false, overSse],
  [
    "the fetch handler",
    false,
    async () => {
      const { headers, body } = newest(false);
      await measure({ ignore: { headers, body: JSON.stringify(body) } });
      return undefined;
    },
  ],
];

describe("M2: a slow consumer, offered 200 MB, that reads nothing", () => {
  it.each(readers)(
    "takes at most 32 MB, holds its handler back, is cut, and neighbours are served (%s)",
    async (_, isCareless, open) => {
      const url = `http://127.0.0.1:${port}/mcp`;
      // The first calls load and compile; what they take is not the reader's.
      for (let call = 0; call < 200; call++) await (await callNewest(url, "echo", { text: "x" })).text();
      const before = await measure();
      const raw = await open();
      const seen: Measured[] = [];
      let served = 0;
      do {
        const neighbour = await callNewest(url, "echo", { text: "still here" });
        if ((await neighbour.json()).result.content[0].text === "still here") served++;
        await setTimeout(20);
        seen.push(await measure());
      } while (!isOver(seen.at(-1)));
      expect(Math.max(...seen.map(({ rss }) => rss)) - before.rss).toBeLessThanOrEqual(32 * mebibyte);
      // Until it was cut, the handler got no further than the buffers of the connection.
      if (!isCareless) expect(seen.slice(0, 10).every(({ offered }) => offered < 300)).toBe(true);
      expect(served).toBe(seen.length);
      raw?.destroy();
    },
    30_000,
  );
});

describe("body 5 MB / 64 MB", () => {
  const chunk = " ".repeat(64 * 1024);
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;

  it.each([
    [5, "declared"],
    [64, "declared"],
    [5, "in chunks"],
    [64, "in chunks"],
  ])("%d MB, %s: 413 in JSON-RPC, and at most 32 MB more", async (megabytes, how) => {
    const before = await measure();
    const raw = new RawSocket(port);
    const size = `Content-Length: ${megabytes * mebibyte}\r\n`;
    raw.write(`${head}${how === "declared" ? size : "Transfer-Encoding: chunked\r\n"}\r\n`);
    const piece = how === "declared" ? chunk : `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    let most = before.rss;
    for (let sent = 0; sent < megabytes * mebibyte && raw.socket.writable; sent += chunk.length) {
      if (!raw.socket.write(piece))
        await Promise.race([once(raw.socket, "drain").catch(() => {}), raw.end()]);
      if (sent % (4 * mebibyte) === 0) most = Math.max(most, (await measure()).rss);
    }
    const [response] = toResponses(await raw.until((text) => toResponses(text).length > 0));
    expect([response?.status, JSON.parse(response?.body ?? "").error.code]).toEqual([413, -32600]);
    expect(most - before.rss).toBeLessThanOrEqual(32 * mebibyte);
    raw.destroy();
  });
});

/** The handler was aborted, or had nobody left to wait for. */
function isOver(measured: Measured | undefined): boolean {
  return measured !== undefined && (measured.aborted > 0 || measured.offered === 2000);
}
