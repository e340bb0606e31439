import { describe, expect, it } from "vitest";
import { entries, open } from "../../../support/http/entries.ts";
import { exchange } from "../../../support/http/exchange.ts";
import { createFixture } from "../../../support/http/fixture.ts";
import { openSession } from "../../../support/http/raw-session.ts";
import { callNewest, toNewest } from "../../../support/http/stateless-request.ts";

const accepted: [accept: string | undefined, quiet: string, talking: string][] = [
  [undefined, "application/json", "text/event-stream"],
  ["", "application/json", "text/event-stream"],
  ["*/*", "application/json", "text/event-stream"],
  ["application/json, text/event-stream", "application/json", "text/event-stream"],
  ["text/event-stream, application/json", "application/json", "text/event-stream"],
  ["application/json", "application/json", "application/json"],
  ["application/*", "application/json", "application/json"],
  ["Application/JSON; charset=utf-8", "application/json", "application/json"],
  ["text/event-stream", "text/event-stream", "text/event-stream"],
  ["text/*;q=0.1", "text/event-stream", "text/event-stream"],
  ["application/json;q=0, */*", "text/event-stream", "text/event-stream"],
  ["text/event-stream;q=0.000, */*;q=0.5", "application/json", "application/json"],
];

const unacceptable = [
  "text/html",
  "image/*",
  "application/json;q=0",
  "*/*;q=0",
  "application/xml, text/html",
];

describe.each(entries)("$name chooses how to answer", (entry) => {
  it.each(accepted)("when %j is accepted, in the newest revision", async (accept, quiet, talking) => {
    const { url } = await open(entry, createFixture().server);
    const options = { headers: { accept }, meta: { progressToken: 1 } };
    const plain = await callNewest(url, "echo", { text: "x" }, options);
    expect([plain.status, plain.type]).toEqual([200, quiet]);
    expect((await plain.result()).result.content[0].text).toBe("x");
    const chatty = await callNewest(url, "steps", { count: 2 }, options);
    expect([chatty.status, chatty.type]).toEqual([200, talking]);
    expect((await chatty.result()).result.content[0].text).toBe("2 steps");
  });

  it.each(accepted)("when %j is accepted, in a session", async (accept, quiet, talking) => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-11-25", { headers: { accept } });
    const plain = await session.call("echo", { text: "x" });
    expect([plain.status, plain.type]).toEqual([200, quiet]);
    expect((await plain.result()).result.content[0].text).toBe("x");
    const chatty = await session.call("steps", { count: 2 });
    expect([chatty.status, chatty.type]).toEqual([200, talking]);
    expect((await chatty.result()).result.content[0].text).toBe("2 steps");
  });

  it.each(unacceptable)("with 406 when nothing but %j is accepted", async (accept) => {
    const { server, entered } = createFixture();
    const { url } = await open(entry, server);
    const answer = await callNewest(url, "echo", { text: "x" }, { headers: { accept } });
    expect([answer.status, answer.type, (await answer.json()).error.code]).toEqual([
      406,
      "application/json",
      -32600,
    ]);
    // A browser that opens the address gets a page.
    const get = await exchange(url, { headers: { accept: accept.replaceAll("text/html", "text/css") } });
    expect([get.status, (await get.json()).error.code]).toEqual([406, -32600]);
    expect(entered()).toBe(0);
  });

  it("by events that no proxy holds back, as soon as something is said", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server);
    const answer = await callNewest(
      url,
      "wait",
      { name: "held", talk: true },
      { meta: { progressToken: "p" } },
    );
    expect(answer.headers).toMatchObject({
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
      "cache-control": "no-cache, no-transform",
    });
    const events = answer.events();
    expect(await events.message()).toMatchObject({
      method: "notifications/progress",
      params: { progressToken: "p", progress: 1 },
    });
    await started.next();
    release("held");
    expect(await events.message()).toMatchObject({ id: 1, result: { content: [{ text: "released held" }] } });
    expect(await events.next()).toBeUndefined();
  });

  it("with each message as one event, whatever it says", async () => {
    const lines = [
      "a\nb",
      "a\r\nb\rc",
      "data: x\n\nid: 7",
      "\u2028\u2029\u0085",
      "\ud800 alone",
      "\u0000",
      ": comment",
    ];
    const { url } = await open(entry, createFixture().server);
    const options = { meta: { "io.modelcontextprotocol/logLevel": "info" } };
    const events = await (await callNewest(url, "chat", { lines }, options)).events().rest();
    expect(events).toHaveLength(lines.length + 1);
    const logged = events.slice(0, -1).map(({ data }) => JSON.parse(data ?? "").params.data);
    expect(logged).toEqual(lines);
  });
});

const types = [
  "text/plain",
  "text/plain; a=application/json",
  "",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json, text/plain",
  "application/jsonp",
  "text/json",
  undefined,
];

describe.each(entries)("$name takes bodies", (entry) => {
  it.each(types)("only as JSON, not as %j", async (type) => {
    const { server, entered } = createFixture();
    const { origin, url } = await open(entry, server);
    const { body, headers } = toNewest("tools/call", { name: "echo", arguments: { text: "x" } });
    for (const target of [url, `${origin}/messages?sessionId=x`]) {
      const answer = await exchange(target, { body, headers: { ...headers, "content-type": type } });
      expect([answer.status, (await answer.json()).error.code]).toEqual([415, -32600]);
    }
    expect(entered()).toBe(0);
  });

  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json ;x=y",
  ])("as %j", async (type) => {
    const { url } = await open(entry, createFixture().server);
    const answer = await callNewest(url, "echo", { text: "x" }, { headers: { "content-type": type } });
    expect(answer.status).toBe(200);
  });

  it("up to the limit, and not one byte more", async () => {
    const { url } = await open(entry, createFixture().server, { maxBodyBytes: 1000 });
    const { body, headers } = toNewest("tools/list", {});
    const text = JSON.stringify(body);
    const exact = await exchange(url, { headers, body: text + " ".repeat(1000 - text.length) });
    expect(exact.status).toBe(200);
    const over = await exchange(url, { headers, body: text + " ".repeat(1001 - text.length) });
    expect([over.status, (await over.json()).error.code]).toEqual([413, -32600]);
    const chunked = await exchange(url, {
      headers: { ...headers, "transfer-encoding": "chunked" },
      body: text + " ".repeat(1001 - text.length),
    });
    expect(chunked.status).toBe(413);
  });

  it("of a client that sends far too much, which can read why it was refused", async () => {
    const { url } = await open(entry, createFixture().server);
    const headers = { "content-type": "application/json" };
    const declared = await fetch(url, { method: "POST", headers, body: " ".repeat(32 * 1024 * 1024) });
    expect([declared.status, await declared.json()]).toMatchObject([413, { error: { code: -32600 } }]);
    const chunk = new Uint8Array(256 * 1024).fill(32);
    let chunks = 128;
    const endless = new ReadableStream({
      pull: (controller) => (chunks-- > 0 ? controller.enqueue(chunk) : controller.close()),
    });
    const chunked = await fetch(url, {
      method: "POST",
      headers,
      body: endless,
      duplex: "half",
    } as RequestInit);
    expect([chunked.status, await chunked.json()]).toMatchObject([413, { error: { code: -32600 } }]);
  });
});
