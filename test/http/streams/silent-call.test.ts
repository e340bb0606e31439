// A call that says nothing for long shows its client, and whatever stands between, that it is at work.
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Context, createServer, tool } from "allspeak";
import { expect, onTestFinished, test } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const keepAliveMs = 20;
const both = "application/json, text/event-stream";

/** A server with a tool that does something first, and answers when it may. */
function createSlow(first = async (_: Context) => {}) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const slow = tool("slow", {}, async (_, ctx) => {
    await first(ctx);
    await opened;
    return "done";
  });
  return { gate: { open }, server: createServer({ name: "slow", version: "1", tools: [slow] }) };
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<Response> {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const init = { method: "POST", body: JSON.stringify(body), signal: ending.signal };
  return fetch(url, { ...init, headers: { "content-type": "application/json", accept: both, ...headers } });
}

/** Begins a call of the slow tool in a revision; settles with the head of the response. */
async function begin(url: string, revision: string, accept = both): Promise<Response> {
  const params = { name: "slow", arguments: {} };
  if (revision === "2026-07-28") {
    const meta = { "io.modelcontextprotocol/logLevel": "warning" };
    const { body, headers } = toNewest("tools/call", params, { meta });
    return post(url, { ...(headers as Record<string, string>), accept }, body);
  }
  const client = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const opened = await post(url, {}, { jsonrpc: "2.0", id: 0, method: "initialize", params: client });
  const session = {
    "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": revision,
  };
  await post(url, session, { jsonrpc: "2.0", method: "notifications/initialized" });
  return post(url, { ...session, accept }, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

const revisions = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

test.each(entries.flatMap((entry) => revisions.map((revision) => ({ entry, revision, name: entry.name }))))(
  "a silent call in $revision becomes a stream with signs of life, and ends with its result ($name)",
  async ({ entry, revision }) => {
    const { gate, server } = createSlow();
    const { url } = await open(entry, server, { keepAliveMs });
    // The head comes while the handler still waits.
    const response = await begin(url, revision);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    gate.open();
    expect(await response.text()).toContain('"text":"done"');
  },
);

test.each(entries)(
  "a call whose notification can't be written becomes such a stream, too ($name)",
  async (entry) => {
    const { gate, server } = createSlow(async (ctx) => {
      await nextTurn();
      await ctx.log("warning", { count: 1n }).catch(() => {});
    });
    const { url } = await open(entry, server, { keepAliveMs });
    const response = await begin(url, "2026-07-28");
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    gate.open();
    expect(await response.text()).toContain('"text":"done"');
  },
);

test.each(entries)(
  "a call that is silent after a notification goes on to show signs of life ($name)",
  async (entry) => {
    const { gate, server } = createSlow((ctx) => ctx.log("warning", "It begins."));
    const { url } = await open(entry, server, { keepAliveMs });
    const { body } = await begin(url, "2026-07-28");
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const readMore = async () => Buffer.from((await reader.read()).value ?? []).toString();
    let text = "";
    while ((text.match(/^:$/gm) ?? []).length < 3) text += await readMore();
    expect(text).toContain("It begins.");
    gate.open();
    while (!text.includes('"text":"done"')) text += await readMore();
  },
);

test.each(["2025-11-25", "2026-07-28"])(
  "a client that takes only JSON gets JSON, however long it waits (%s)",
  async (revision) => {
    const { gate, server } = createSlow();
    const [entry] = entries;
    if (entry === undefined) throw new Error("There is no way to serve.");
    const { url } = await open(entry, server, { keepAliveMs });
    const answering = begin(url, revision, "application/json");
    // A second call, which takes events, has become a stream by now.
    const other = await begin(url, "2026-07-28");
    expect(other.headers.get("content-type")).toBe("text/event-stream");
    gate.open();
    const response = await answering;
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.text()).toContain('"text":"done"');
  },
);
