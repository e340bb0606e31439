// The lines of the wire log, over each kind of transport and on both sides.
import { MessageChannel } from "node:worker_threads";
import { createServer, type RevisionName, servePort, tool } from "allspeak";
import { connect, httpTransport, portTransport, type Target, websocketTransport } from "allspeak/client";
import { serveHttp, websocketLimits } from "allspeak/node";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { Queue } from "../support/queue.ts";

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0)) await close();
});

const input = z.object({ text: z.string(), password: z.string().optional() });
const say = tool("say", { input }, async ({ text }, ctx) => {
  await ctx.progress(1);
  return text;
});
const server = createServer({ name: "s", version: "1", tools: [say], log: () => {} });

const served: string[] = [];
const debug = (line: string) => void served.push(line);
const websocket = new WebSocketServer(websocketLimits());
const http = await serveHttp(server, { debug, websocket });
closers.push(() => http.close(0));

// The log is loaded with its first line.
const loaded = new Queue<string>();
const first = await connect(http.url, { debug: (line) => loaded.push(line) });
await loaded.next();
await first.close();

/** Makes one call; returns the lines of both sides from the call on, without their times and numbers. */
async function callOver(target: Target, revision: RevisionName, args: object = { text: "hello" }) {
  const lines: string[] = [];
  const client = await connect(target, { revisions: [revision], debug: (line) => void lines.push(line) });
  lines.length = 0;
  served.length = 0;
  await client.request("tools/call", { name: "say", arguments: args }, { onProgress: () => {} });
  await client.close();
  return { client: lines.map(withoutTime), server: served.map(withoutTime) };
}

const withoutTime = (line: string) =>
  line.replace(/^allspeak \d\d:\d\d:\d\d\.\d{3}Z (client|server) \d+ /, "$1 ");
const messages = (lines: readonly string[]) =>
  lines
    .map((line) => line.replace(/ \{.*$/, "").replace(/#\d+/, "#n"))
    .filter((line) => !/ (?:POST|GET|DELETE|\d{3}\b)/.test(line));

/** The messages from the call to its result. */
function fromCall(lines: readonly string[]): readonly string[] {
  const shown = messages(lines);
  const start = shown.findIndex((line) => line.includes("tools/call"));
  return shown.slice(start, start + 3);
}

const openPort = () => {
  const { port1, port2 } = new MessageChannel();
  servePort(server, port2, { debug });
  return port1;
};

const targets: Record<string, () => Target> = {
  http: () => httpTransport(http.url),
  websocket: () => websocketTransport(http.url.replace("http:", "ws:"), { WebSocket }),
  port: () => portTransport(openPort),
};

describe.each(Object.keys(targets))("over %s", (name) => {
  it.each(["2026-07-28", "2025-06-18"] as const)(
    "each message of %s is one line on both sides",
    async (revision) => {
      const { client, server } = await callOver((targets[name] as () => Target)(), revision);
      expect(fromCall(client)).toEqual([
        `client -> ${revision} tools/call #n`,
        `client <- ${revision} notifications/progress`,
        `client <- ${revision} result #n`,
      ]);
      expect(fromCall(server)).toEqual([
        `server <- ${revision} tools/call #n`,
        `server -> ${revision} notifications/progress`,
        `server -> ${revision} result #n`,
      ]);
    },
  );
});

it("HTTP+SSE is shown, each message once", async () => {
  const { server } = await callOver(httpTransport(new URL("/sse", http.url)), "2024-11-05");
  expect(messages(server).filter((line) => line.includes("tools/call"))).toHaveLength(1);
  expect(messages(server).filter((line) => line.includes("result #n"))).toHaveLength(1);
});

it("over HTTP the heads are shown, without credentials", async () => {
  const headers = {
    Authorization: "Bearer abc.def",
    Cookie: "sid=abc",
    "X-Api-Key": "k-123",
    "X-Tenant": "blue",
  };
  const { client, server } = await callOver(httpTransport(http.url, { headers }), "2026-07-28");
  for (const lines of [client, server]) {
    const head = lines.find((line) => line.includes("POST")) ?? "";
    expect(head).toContain(`POST ${http.url} {`);
    expect(head).toContain('"authorization":"***"');
    expect(head).toContain('"x-tenant":"blue"');
    expect(lines.join()).not.toMatch(/abc|k-123/);
    expect(lines.some((line) => / 200 \{.*"content-type":"text\/event-stream"/.test(line))).toBe(true);
  }
});

it("secrets are masked: by their names, in URLs, and where a text looks like one", async () => {
  const text = [
    "https://ada:hunter2@example.com/?access_token=hunter2&page=2",
    "Authorization: Bearer hunter2",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.hunter2",
    '{"client_secret": "hunter2", "api_key":"hunter2"}',
  ].join("\n");
  const { client } = await callOver(targets.port?.() as Target, "2026-07-28", { text, password: "hunter2" });
  const lines = client.join("\n");
  expect(lines).not.toContain("hunter2");
  expect(lines).toContain("https://***@example.com/?access_token=***&page=2");
  expect(lines).toContain('"password":"***"');
  expect(lines).toContain('"progressToken":2');
});

it.each([
  { text: "npx server --token hunter2 --verbose" },
  { text: "curl -H 'x-csrf: hunter2'" },
  { text: "curl -H 'cookie: a=b; sid=hunter2'" },
  { text: "", args: ["--port", "80", "--token", "hunter2"] },
  { text: "", headers: { "x-csrf": "hunter2", "x-xsrf-header": "hunter2", cookie: "sid=hunter2" } },
  { text: "", cookies: { sid: "hunter2" }, sessionCookie: "hunter2" },
  { text: "", key: "hunter2hunter2hunter2", encryptionKey: "hunter2hunter2hunter2", signing_key: "hunter2" },
])("the secret in %j is masked", async (args) => {
  const { client } = await callOver(targets.port?.() as Target, "2026-07-28", args);
  expect(client.join("\n")).not.toContain("hunter2");
});

it("options of a command line that hold no secret are shown", async () => {
  const args = { text: "npx server --max-tokens 5 --port 80", args: ["--port", "80"] };
  const { client } = await callOver(targets.port?.() as Target, "2026-07-28", args);
  expect(client.join("\n")).toContain("--max-tokens 5 --port 80");
  expect(client.join("\n")).toContain('"--port","80"');
});

it("what a terminal would obey is escaped, and a message is one line", async () => {
  const { client } = await callOver(targets.port?.() as Target, "2026-07-28", {
    text: "\u001b[31m\u009b\u202e\n",
  });
  expect(client.some((line) => line.includes(String.raw`\u001b[31m\u{9b}\u{202e}\n`))).toBe(true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  expect(client.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
});

it("long messages are cut, and say how long they are", async () => {
  const { client } = await callOver(targets.port?.() as Target, "2026-07-28", { text: "x".repeat(50_000) });
  const longest = Math.max(...client.map((line) => line.length));
  expect(longest).toBeLessThan(2_200);
  expect(client[0]).toMatch(/x… \(50\d{3} characters\)$/);
});

it("messages that are nested too deeply, or are not JSON, are shown as they are", async () => {
  served.length = 0;
  const post = (body: string) =>
    fetch(http.url, { method: "POST", headers: { "content-type": "application/json" }, body });
  await post("[".repeat(20_000));
  await post("password=hunter2 {");
  expect(messages(served.map(withoutTime)).filter((line) => line.includes("<-"))).toEqual([
    expect.stringMatching(/^server <- - not a message \[\[\[/),
    "server <- - not a message password=***",
  ]);
});

describe("ALLSPEAK_DEBUG", () => {
  async function linesWith(value: string | undefined): Promise<number> {
    vi.stubEnv("ALLSPEAK_DEBUG", value);
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => {
      vi.unstubAllEnvs();
      error.mockRestore();
    });
    const client = await connect(server);
    await client.tools.call("say", { text: "hello" });
    await client.close();
    const count = error.mock.calls.filter(([line]) => /^allspeak .*tools\/call/.test(String(line))).length;
    error.mockRestore();
    return count;
  }

  it("shows both sides on standard error; without it, or with 0, nothing is shown", async () => {
    expect(await linesWith("1")).toBe(2);
    expect(await linesWith("0")).toBe(0);
    expect(await linesWith(undefined)).toBe(0);
  });

  it("gives way to the option", async () => {
    vi.stubEnv("ALLSPEAK_DEBUG", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const client = await connect(http.url, { debug: false });
    await client.close();
    expect(error.mock.calls).toEqual([]);
    error.mockRestore();
  });
});
