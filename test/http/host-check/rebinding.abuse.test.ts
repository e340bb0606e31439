import { createFetchHandler, memoryState, type State } from "allspeak/http";
import { serveHttp, websocketLimits } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { type Entry, entries, type Listening } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { toInitialize } from "../../support/http/raw-session.ts";
import { RawSocket, toResponses } from "../../support/http/raw-socket.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const withWebSocket: Entry = {
  name: "serveHttp with WebSockets",
  open: async (server, options) => {
    const upgrader = new WebSocketServer(websocketLimits());
    const running = await serveHttp(server, { ...options, websocket: upgrader });
    return { origin: new URL(running.url).origin, url: running.url, close: (ms) => running.close(ms) };
  },
};

const call = toNewest("tools/call", { name: "echo", arguments: { text: "x" } });
const lines = (headers: object) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
const upgrade =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const close = "Connection: close\r\n";
const json = "Content-Type: application/json\r\n";

/** Every way in to what the server offers, as method, path, headers and body. */
const routes: readonly (readonly [string, string, string, string])[] = [
  ["POST", "/mcp", close + lines(call.headers), JSON.stringify(call.body)],
  ["POST", "/mcp", close + json, JSON.stringify(toInitialize("2025-11-25"))],
  ["GET", "/mcp", `${close}Accept: text/event-stream\r\n`, ""],
  ["DELETE", "/mcp", close, ""],
  ["OPTIONS", "/mcp", `${close}Access-Control-Request-Method: POST\r\n`, ""],
  ["GET", "/mcp", upgrade, ""],
  ["GET", "/sse", `${close}Accept: text/event-stream\r\n`, ""],
  ["POST", "/messages?sessionId=x", close + json, JSON.stringify(call.body)],
];
const health = ["GET", "/health", close, ""] as const;

/** Every disguise, as the headers that make it. */
const disguises: readonly string[] = [
  "Host: evil.example\r\n",
  "Host: 127.0.0.1.evil.example\r\n",
  "Host: localhost@evil\r\n",
  "Host: localhost.evil.example:80\r\n",
  "Host: 10.0.0.1\r\n",
  "Host: \r\n",
  "",
  "Host: localhost\r\nHost: evil.example\r\n",
  "Host: evil.example\r\nOrigin: http://evil.example\r\n",
  "Host: localhost\r\nOrigin: http://evil.example\r\n",
  "Host: localhost\r\nOrigin: null\r\n",
  "Host: localhost\r\nOrigin: http://localhost.evil\r\n",
  "Host: localhost\r\nOrigin: ::not a url::\r\n",
  "Host: localhost\r\nOrigin: \r\n",
  "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n",
  "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
];

/** Hosts that node:http or a platform refuses by itself, before any handler. */
const isNoHost = (disguise: string) => /^$|Host: \r\n|@|Host:.*\r\nHost:/.test(disguise);

function countingState(): { state: State; opened: () => number } {
  const memory = memoryState();
  let opened = 0;
  const sessions: State["sessions"] = {
    create: (session, ttlMs) => {
      opened++;
      return memory.sessions.create(session, ttlMs);
    },
    touch: (id, ttlMs) => memory.sessions.touch(id, ttlMs),
    replace: (session, version, ttlMs) => memory.sessions.replace(session, version, ttlMs),
    remove: (id) => memory.sessions.remove(id),
  };
  return { state: { ...memory, sessions }, opened: () => opened };
}

describe.each([...entries, withWebSocket])(
  "CVE-2025-66414, CVE-2025-66416, CVE-2026-34742, CVE-2026-35568, CVE-2026-42559, CVE-2026-11624: DNS rebinding, $name",
  (entry) => {
    const fixture = createFixture();
    const { state, opened } = countingState();
    let listening: Listening;
    beforeAll(async () => {
      listening = await entry.open(fixture.server, { state });
    });
    afterAll(() => listening.close(0));

    const send = async ([method, path, headers, body]: (typeof routes)[number], disguise: string) => {
      const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
      const raw = new RawSocket(Number(new URL(listening.origin).port));
      raw.write(`${method} ${path} HTTP/1.1\r\n${disguise}${headers}${length}\r\n${body}`);
      const text = await raw.until((seen) => toResponses(seen).length > 0);
      raw.destroy();
      return toResponses(text)[0];
    };

    it.each(disguises)("refuses %j on every route, without any setting", async (disguise) => {
      const responses = await Promise.all(routes.map((route) => send(route, disguise)));
      const isOurs = entry.name.startsWith("serveHttp") || !isNoHost(disguise);
      for (const response of responses) {
        expect(response?.headers).not.toHaveProperty("access-control-allow-origin");
        expect(response?.headers).not.toHaveProperty("mcp-session-id");
        if (!isOurs && response?.status === 400) continue;
        expect(response?.status).toBe(403);
        expect(JSON.parse(response?.body ?? "")).toMatchObject({ error: { code: -32600 } });
      }
      expect([fixture.entered(), opened()]).toEqual([0, 0]);
    });

    it.each(disguises)("tells %j no more than that it is there, and no web page that", async (disguise) => {
      const response = await send(health, disguise);
      expect(response?.headers).not.toHaveProperty("access-control-allow-origin");
      if (/Origin|Sec-Fetch/.test(disguise)) expect(response?.status).toBe(403);
      else if (!isNoHost(disguise))
        expect([response?.status, response?.body]).toEqual([200, '{"status":"ok"}']);
      expect([fixture.entered(), opened()]).toEqual([0, 0]);
    });

    it("answers under its own name, so that what was refused was refused for its name", async () => {
      const [post, initialize] = routes;
      if (!post || !initialize) throw new Error("no routes");
      expect((await send(post, "Host: localhost\r\n"))?.status).toBe(200);
      expect((await send(initialize, "Host: 127.0.0.1:80\r\n"))?.status).toBe(200);
      expect([fixture.entered(), opened()]).toEqual([1, 1]);
    });
  },
);

describe("the fetch handler, where the platform keeps the host to the URL", () => {
  it.each(["http://evil.example/mcp", "http://localhost.evil.example/mcp", "http://10.0.0.1/mcp"])(
    "refuses %s",
    async (url) => {
      const { server, entered } = createFixture();
      const handle = createFetchHandler(server);
      const headers = call.headers as Record<string, string>;
      const response = await handle(
        new Request(url, { method: "POST", headers, body: JSON.stringify(call.body) }),
      );
      expect([response.status, entered()]).toEqual([403, 0]);
      await handle.close(0);
    },
  );
});

describe.each(entries)("CVE-2026-33252: a POST that a web page may send without asking, $name", (entry) => {
  const types = [
    "text/plain",
    "text/plain; a=application/json",
    "",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json, text/plain",
  ];

  it.each(types)("is refused as %j, on every route that takes one", async (type) => {
    const { server, entered } = createFixture();
    const listening = await entry.open(server);
    for (const path of ["/mcp", "/messages?sessionId=x"]) {
      const raw = new RawSocket(Number(new URL(listening.origin).port));
      const body = JSON.stringify(call.body);
      const { "content-type": _, ...headers } = call.headers;
      const given = type === "" ? "" : `Content-Type: ${type}\r\n`;
      raw.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${close}${given}${lines(headers)}Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      const [response] = toResponses(await raw.end());
      expect([path, response?.status]).toEqual([path, 415]);
      expect(JSON.parse(response?.body ?? "")).toMatchObject({ error: { code: -32600 } });
    }
    expect(entered()).toBe(0);
    await listening.close(0);
  });
});
