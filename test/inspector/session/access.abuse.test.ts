import { request } from "node:http";
import { serveInspector } from "allspeak/inspector";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openDemo } from "../support/demo.ts";
import { startHostileServer } from "../support/hostile-server.ts";
import { openPage, Page, tokenOf } from "../support/page.ts";

describe("who may open the inspector", () => {
  test("a token works once, and its secret goes on with the session", async () => {
    const { url, session } = await openPage();
    const second = await Page.connect(url);
    await expect(second.send("open-session", { token: tokenOf(url) })).rejects.toThrow("session-unknown");
    expect((await second.closed).code).toBe(4001);

    const resumed = await Page.connect(url);
    const again = await resumed.send("open-session", { secret: session.secret });
    expect(again.secret).toBe(session.secret);
  });

  test("a token that nobody used for ten minutes opens nothing", async () => {
    const inspector = await serveInspector();
    onTestFinished(() => inspector.close());
    const [first, second] = [await Page.connect(inspector.url), await Page.connect(inspector.url)];
    const later = inspector.createUrl();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 599_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await first.send("open-session", { token: tokenOf(inspector.url) })).toHaveProperty("secret");
    vi.setSystemTime(Date.now() + 2_000);
    await expect(second.send("open-session", { token: tokenOf(later) })).rejects.toThrow("too old");
  });

  test("a stranger who sends much before the session is open is cut off", async () => {
    const { url } = await openPage();
    const stranger = await Page.connect(url);
    stranger.sendText(" ".repeat(1024 * 1024));
    expect((await stranger.closed).code).toBe(1006);
  });

  test.each([
    ["a wrong token", { type: "open-session", id: 1, params: { token: "A".repeat(43) } }],
    ["a wrong secret", { type: "open-session", id: 1, params: { secret: "A".repeat(43) } }],
    ["neither", { type: "open-session", id: 1, params: {} }],
    ["another request first", { type: "list-configured", id: 1, params: {} }],
  ])("%s opens nothing, and ends the socket", async (_, message) => {
    const { url } = await openPage();
    const stranger = await Page.connect(url);
    await expect(stranger.sendRaw(message)).rejects.toThrow("session-unknown");
    expect((await stranger.closed).code).toBe(4001);
  });

  test.each([
    ["a foreign web page", { origin: "https://attacker.example" }],
    ["a page of another local server", { origin: "http://127.0.0.1:1" }],
    ["a foreign host name", { host: "attacker.example" }],
    ["a program that names no origin", { origin: "" }],
  ])("the socket refuses %s", async (_, headers) => {
    const { url } = await openPage();
    await expect(Page.connect(url, headers)).rejects.toThrow("403");
  });

  test("the page refuses a foreign host name, and every method that changes something", async () => {
    const { url } = await openPage();
    expect(await fetchRaw(url, { headers: { host: "attacker.example" } })).toMatchObject({ status: 403 });
    expect(await fetchRaw(url, { headers: { origin: "https://attacker.example" } })).toMatchObject({
      status: 403,
    });
    expect(await fetchRaw(url, { method: "POST" })).toMatchObject({ status: 405 });
  });

  test("a refusal says how to open the page, and names no option that the inspector lacks", async () => {
    const { url } = await openPage();
    const { text: hostText } = await fetchRaw(url, { headers: { host: "box.local:4000" } });
    const { text: originText } = await fetchRaw(url, { headers: { origin: "https://attacker.example" } });
    expect(hostText).toBe(
      'Host "box.local:4000" is not allowed. Open this page by the address that was shown at its start, as localhost or 127.0.0.1. From another machine, forward its port: ssh -L PORT:127.0.0.1:PORT',
    );
    expect(originText).toContain("Open it in a tab of its own");
    expect(originText).not.toContain("allowedOrigins");
  });

  test.each(["/../package.json", "/..%2fpackage.json", "/assets/../../server.js", "//etc/passwd", "/socket"])(
    "%s is not a file of the page",
    async (path) => {
      const { url } = await openPage();
      expect(await fetchRaw(url, { path })).toMatchObject({ status: 404 });
    },
  );

  test("every answer forbids foreign scripts, frames, and caches", async () => {
    const { url } = await openPage();
    for (const path of ["/", "/nothing"]) {
      const { headers } = await fetchRaw(url, { path });
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https:|\*/);
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
    }
  });

  test("it listens on this machine only, unless a public URL is given", async () => {
    await expect(serveInspector({ host: "0.0.0.0" })).rejects.toThrow("publicUrl");
    const inspector = await serveInspector();
    onTestFinished(() => inspector.close());
    expect(new URL(inspector.url).hostname).toBe("127.0.0.1");
  });
});

describe("what a page may send", () => {
  test.each([
    ["text that is not JSON", "hello"],
    ["JSON that is no request", "[]"],
    ["a request without an id", '{"type":"cancel","params":{}}'],
    ["bytes", new Uint8Array([1, 2, 3])],
  ])("%s ends the socket", async (_, message) => {
    const { page } = await openPage();
    page.sendText(message);
    expect((await page.closed).code).toBe(4002);
  });

  test.each([
    ["an unknown request", { type: "eval", params: {} }, "There is no request eval"],
    ["a request of the prototype", { type: "constructor", params: {} }, "There is no request"],
    ["params that are missing", { type: "call-tool", params: { connection: "c1" } }, 'needs "name"'],
    ["params that nobody knows", { type: "forget", params: { connection: "c1", all: true } }, '"all"'],
    ["no params", { type: "forget" }, "takes an object"],
    ["a connection that does not exist", { type: "disconnect", params: { connection: "c9" } }, "not-found"],
    ["a window that is too large", { type: "read-wire", params: { from: 0, count: 1e9 } }, "at most"],
    ["a target of no kind", { type: "connect", params: { target: { kind: "shell" } } }, "A target is one of"],
    [
      "a file: address",
      { type: "connect", params: { target: { kind: "url", url: "file:///etc" } } },
      "must begin",
    ],
    [
      "headers that are no strings",
      { type: "connect", params: { target: { kind: "url", url: "http://127.0.0.1:1", headers: { a: 1 } } } },
      "must be strings",
    ],
  ])("%s is refused, and the socket goes on", async (_, message, problem) => {
    const { page } = await openPage();
    await expect(page.sendRaw({ id: 7, ...message })).rejects.toThrow(problem);
    await page.send("list-recordings", {});
  });

  test("more requests at a time than are allowed fail at once", async () => {
    const { page, connection } = await openDemo();
    const calls = Array.from({ length: 201 }, () =>
      page.send("call-tool", { connection, name: "wait", arguments: {} }).catch((error: Error) => error),
    );
    expect(await calls.at(-1)).toMatchObject({ failure: { code: "too-much" } });
    await page.send("cancel", { request: 1 });
  });

  test("the headers of a server count in the budget of the history, and are cut", async () => {
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`x-${at}`, "v".repeat(990)]));
    const hostile = await startHostileServer(many);
    onTestFinished(() => hostile.close());
    const maxBytes = 600_000;
    const { page } = await openPage({ history: { maxBytes } });
    const { connection } = await page.send("connect", {
      target: { kind: "url", url: `${hostile.url}/%ff` },
      options: { revisions: ["2025-06-18"] },
    });
    const operation = { kind: "call-tool", name: "poison", arguments: {} } as const;
    await page.send("load-test", { connection: connection.id, operation, calls: 150, concurrency: 10 });
    const { totals } = await page.send("read-wire", { from: 0, count: 1 });
    expect(totals.dropped).toBeGreaterThan(0);
    expect(totals.bytes).toBeLessThanOrEqual(maxBytes);
    const { http } = await page.send("read-wire-entry", { seq: totals.last });
    expect(JSON.stringify(http?.responseHeaders).length).toBeLessThan(5_000);
  });

  test("the history keeps within its budget, and says what it dropped", async () => {
    const { page, connection } = await openDemo({}, { history: { maxEntries: 50 } });
    const operation = { kind: "call-tool", name: "echo", arguments: { text: "x" } } as const;
    await page.send("load-test", { connection, operation, calls: 100, concurrency: 10 });
    const { totals } = await page.send("read-wire", { from: 0, count: 1 });
    expect(totals.count).toBeLessThanOrEqual(50);
    expect(totals.dropped).toBeGreaterThanOrEqual(150);
    await expect(page.send("read-wire-entry", { seq: 1 })).rejects.toThrow("is gone");
  });
});

interface RawResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A request whose path and headers are sent as they are; `fetch` would tidy them. */
function fetchRaw(
  address: string,
  options: { path?: string; method?: string; headers?: Record<string, string> },
): Promise<RawResponse> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: "/", ...options }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}
