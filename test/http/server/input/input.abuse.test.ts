import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entries, type Listening } from "../../../support/http/entries.ts";
import type { EventReader } from "../../../support/http/event-reader.ts";
import { exchange } from "../../../support/http/exchange.ts";
import { createFixture } from "../../../support/http/fixture.ts";
import { openSession } from "../../../support/http/raw-session.ts";
import { callNewest, toNewest } from "../../../support/http/stateless-request.ts";

const newestHeaders = toNewest("tools/call", { name: "echo" }).headers;
const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort());

/** Each entry, each route that takes a message: what one sends there, anyone could. */
describe.each(entries)("input to $name", (entry) => {
  const fixture = createFixture();
  let listening: Listening;
  let oldest: EventReader;
  let routes: readonly [name: string, url: string, headers: Record<string, string | undefined>][];

  beforeAll(async () => {
    listening = await entry.open(fixture.server);
    const { origin, url } = listening;
    const session = await openSession(url, "2025-06-18");
    oldest = (await exchange(`${origin}/sse`)).events();
    const { data = "" } = (await oldest.next()) ?? {};
    const inSession = {
      "content-type": "application/json",
      "mcp-session-id": session.id,
      "mcp-protocol-version": "2025-06-18",
    };
    routes = [
      ["the newest revision", url, newestHeaders],
      ["a session", url, inSession],
      ["HTTP+SSE", new URL(data, origin).href, { "content-type": "application/json" }],
    ];
  });
  afterAll(async () => {
    oldest.cut();
    await listening.close(0);
  });

  /** What each route says to a body, after making sure that it says it properly. */
  const sendAll = (body: string | Uint8Array) =>
    Promise.all(
      routes.map(async ([, url, headers]) => {
        const answer = await exchange(url, { headers, body });
        const text = await answer.text();
        expect(answer.type).toBe("application/json");
        expect(text).not.toMatch(/\bat .*:\d+:\d+|node_modules|<html/i);
        const { id, error } = JSON.parse(text);
        return { status: answer.status, id, code: error?.code };
      }),
    );
  const refusedUnread = (status: number, code: number) => routes.map(() => ({ status, id: undefined, code }));
  /** The answers to a body whose id can't be read: older revisions answer it with null. */
  const refused = (status: number, code: number) =>
    [undefined, null, null].map((id) => ({ status, id, code }));

  it("a compressed body is refused with 415, in words", async () => {
    for (const [, url, headers] of routes) {
      const encoded = { ...headers, "content-encoding": "gzip" };
      const answer = await exchange(url, { headers: encoded, body: gzipSync("{}") });
      expect(answer.status).toBe(415);
      expect(answer.headers["accept-encoding"]).toBe("identity");
      expect(await answer.text()).toContain("without Content-Encoding");
    }
  });

  it("a plain body that is declared to be compressed is refused with 415, too", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const [, url, headers] of routes) {
      for (const encoding of ["gzip", "GZIP", "br", "gzip, identity", "unknown"]) {
        const answer = await exchange(url, { headers: { ...headers, "content-encoding": encoding }, body });
        expect([encoding, answer.status]).toEqual([encoding, 415]);
        expect(answer.headers["accept-encoding"]).toBe("identity");
        expect(await answer.text()).toContain("without Content-Encoding");
      }
      for (const encoding of ["identity", ""]) {
        const plain = { ...headers, "content-encoding": encoding };
        expect((await exchange(url, { headers: plain, body: "{" })).status).toBe(400);
      }
    }
  });

  it("a compressed body that is too large is refused for its size", async () => {
    for (const [, url, headers] of routes) {
      const encoded = { ...headers, "content-encoding": "gzip" };
      const answer = await exchange(url, { headers: encoded, body: new Uint8Array(4 * 1024 ** 2 + 1) });
      expect(answer.status).toBe(413);
    }
  });

  it.each(["{", "", "nonsense", '{"jsonrpc":"2.0",}', "[1,2", "NaN", "'x'", "\u0000", "{}{}"])(
    "malformed JSON: %j",
    async (body) => {
      expect(await sendAll(body)).toEqual(refused(400, -32700));
    },
  );

  it.each([
    "null",
    "1",
    '"x"',
    "true",
    "{}",
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"method":"ping"}',
  ])("JSON that is no message: %s", async (body) => {
    for (const { status, code } of await sendAll(body)) expect([status, code]).toEqual([400, -32600]);
  });

  it.each([
    "null",
    "1.5",
    "{}",
    "9007199254740993",
    "[]",
    "true",
    "1e400",
    `"${"x".repeat(257)}"`,
    `"${"x".repeat(90_000)}"`,
  ])("id null / 1.5 / {} / 2^53+1 and the like: %.20s", async (id) => {
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo"}}`;
    expect(await sendAll(body)).toEqual(refused(400, -32600));
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","ID":1,"m\u0435thod":"tools/call"}',
    '{"JSONRPC":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","param\\u017f":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","Params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"Id":2,"method":"ping"}',
  ])("CVE-2026-27896, a key twice or in other letters: %s", async (body) => {
    for (const { status, code } of await sendAll(body)) expect([status, code]).toEqual([400, -32600]);
    expect(fixture.entered()).toBe(0);
  });

  it.each([10_000, 40_000, 500_000])("depth %d", async (depth) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(await sendAll(body)).toEqual(refused(400, -32600));
  });

  it.each([
    ["ff fe", [0xff, 0xfe]],
    ["c0 80", [0xc0, 0x80]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a piece of a character", [0xe2, 0x82]],
  ])("invalid UTF-8: %s", async (_, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"x'),
      Buffer.from(bytes),
      Buffer.from('"}'),
    ]);
    expect(await sendAll(body)).toEqual(refusedUnread(400, -32600));
  });

  it("BOM: ignored in front, refused elsewhere", async () => {
    const [newest] = routes;
    const [, url] = newest ?? [];
    const { body, headers } = toNewest("tools/list", {});
    const marked = await exchange(url ?? "", { headers, body: `\ufeff${JSON.stringify(body)}` });
    expect(marked.status).toBe(200);
    expect(await sendAll(`{\ufeff"jsonrpc":"2.0"}`)).toEqual(refused(400, -32700));
  });

  it("lone surrogate: what comes back is valid UTF-8", async () => {
    for (const options of [{}, { headers: { accept: "text/event-stream" } }]) {
      const answer = await callNewest(listening.url, "echo", { text: "\ud800 alone \udc00" }, options);
      const chunks: Buffer[] = [];
      for await (const chunk of answer.stream) chunks.push(chunk);
      const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
      expect(text).toContain("\\ud800 alone \\udc00");
    }
  });

  it("__proto__ and constructor.prototype, in arguments, metadata and answers", async () => {
    const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"text":"x"}';
    const { body, headers } = toNewest("tools/call", { name: "echo" });
    const meta = JSON.stringify(body.params._meta).slice(0, -1);
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","__proto__":{"polluted":1},"params":{"name":"echo","arguments":${evil},"inputResponses":${evil},"_meta":${meta},"__proto__":{"polluted":1}}}}`;
    const answer = await exchange(listening.url, { headers, body: text });
    expect((await answer.json()).result.content[0].text).toBe("x");
    expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort())).toBe(prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "a tool, a method and a session named %s do not exist",
    async (name) => {
      const tool = await callNewest(listening.url, name);
      expect(await tool.json()).toMatchObject({ error: { code: -32602 } });
      const { body, headers } = toNewest(name, {});
      const method = await exchange(listening.url, { body, headers });
      expect([method.status, (await method.json()).error.code]).toEqual([404, -32601]);
      const session = await exchange(listening.url, {
        headers: { "content-type": "application/json", "mcp-session-id": name },
        body: { jsonrpc: "2.0", id: 1, method: "ping" },
      });
      expect(session.status).toBe(404);
    },
  );

  it("batch (3) on newer revisions, [] and 10,000 on the one that has batches", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const session = await openSession(listening.url, "2025-06-18");
    const older = await openSession(listening.url, "2025-03-26");
    const answers = [
      await session.post([ping, ping, ping]),
      await session.post([]),
      await older.post([]),
      await older.post(Array.from({ length: 10_000 }, () => ping)),
      await exchange(listening.url, { headers: newestHeaders, body: [ping, ping, ping] }),
    ];
    for (const answer of answers) {
      expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32600]);
    }
  });

  it("newline, data: and U+2028 inside strings: a single event", async () => {
    const text = 'a\nb\r\n\r\ndata: {"x":1}\n\nevent: y\u2028\u2029\u0085\u0000';
    const alone = await callNewest(
      listening.url,
      "echo",
      { text },
      { headers: { accept: "text/event-stream" } },
    );
    const session = await openSession(listening.url, "2025-06-18");
    const kept = await session.call("echo", { text }, { headers: { accept: "text/event-stream" } });
    for (const answer of [alone, kept]) {
      const events = await answer.events().rest();
      expect(events).toHaveLength(1);
      expect(JSON.parse(events[0]?.data ?? "").result.content[0].text).toBe(text);
    }
  });

  it("what a handler throws by accident stays with the server", async () => {
    const session = await openSession(listening.url, "2025-06-18");
    for (const answer of [await callNewest(listening.url, "fail"), await session.call("fail")]) {
      expect(await answer.text()).not.toContain("hunter2");
    }
    expect(fixture.reports.some(({ cause }) => String(cause).includes("hunter2"))).toBe(true);
  });

  it("duplicate in-flight id, same session: the second is refused, the first is answered", async () => {
    const session = await openSession(listening.url, "2025-11-25");
    const first = session.call("wait", { name: entry.name }, { id: 1 });
    await fixture.started.next();
    const second = await session.call("echo", { text: "x" }, { id: 1 });
    expect(await second.result()).toMatchObject({ id: 1, error: { code: -32600 } });
    fixture.release(entry.name);
    expect(await (await first).result()).toMatchObject({ id: 1, result: {} });
  });
});
