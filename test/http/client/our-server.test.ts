import { createServer, type RevisionName, resource, type Server, tool } from "allspeak";
import type { ConnectOptions } from "allspeak/client";
import { type HttpServerHandle, serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFetchHandler } from "../../../src/http.ts";
import { openHttp } from "../../support/http/open-http.ts";
import { failure } from "../../support/open-client.ts";

const sessions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const revisions = [...sessions, "2026-07-28"] as const;

const uri = "note:///1";

/** What the tool `hang` of the current test tells: that it runs, and that it was given up. */
let onRunning = () => {};
let onAborted = (_revision: string) => {};

function createNotes(): Server<unknown> {
  const server: Server<unknown> = createServer({
    name: "notes",
    version: "1.0.0",
    tools: [
      tool("echo", { input: { type: "object" } }, (args) => JSON.stringify(args)),
      tool("count", { input: { type: "object" } }, async (_, ctx) => {
        for (let step = 1; step <= 3; step++) await ctx.progress(step, 3);
        return "counted";
      }),
      tool("roots", { input: { type: "object" } }, async (_, ctx) => {
        const roots = await ctx.roots({ fallback: [] });
        return roots.map((root) => root.uri).join();
      }),
      tool("touch", { input: { type: "object" } }, () => {
        void server.resources.updated(uri);
        return "touched";
      }),
      tool("leave", { input: { type: "object" } }, async (_, ctx) => {
        await ctx.progress(1);
        ctx.disconnect();
        return "left and came back";
      }),
      tool("hang", { input: { type: "object" } }, async (_, ctx) => {
        onRunning();
        await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
        onAborted(ctx.revision);
        return "never seen";
      }),
    ],
    resources: [resource(uri, { name: "note" }, () => "one")],
  });
  return server;
}

async function serve(server = createNotes(), port = 0): Promise<HttpServerHandle> {
  const running = await serveHttp(server, { port, sessions: { retryMs: 300 } });
  onTestFinished(() => running.close(0));
  return running;
}

const textOf = (result: { readonly content: readonly object[] }) =>
  (result.content[0] as { text: string }).text;

interface Way {
  readonly name: string;
  readonly revision: RevisionName;
  open(options?: ConnectOptions): ReturnType<typeof openHttp>;
}

const overHttp = revisions.map((revision): Way => {
  const open = async (options?: ConnectOptions) =>
    openHttp((await serve()).url, { ...options, revisions: [revision] });
  return { name: `${revision} over HTTP`, revision, open };
});

const overStream = sessions.map((revision): Way => {
  const open = async (options?: ConnectOptions) =>
    openHttp((await serve()).url.replace("/mcp", "/sse"), { ...options, revisions: [revision] });
  return { name: `${revision} over HTTP+SSE`, revision, open };
});

const overFetch = revisions.map((revision): Way => {
  const open = (options?: ConnectOptions) => {
    const handler = createFetchHandler(createNotes());
    onTestFinished(() => handler.close(0));
    const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init));
    return openHttp("http://localhost/mcp", { ...options, fetch, revisions: [revision] });
  };
  return { name: `${revision} in a fetch handler`, revision, open };
});

describe.each([...overHttp, ...overStream, ...overFetch])("a server of $name", ({ revision, open }) => {
  test("calls, tells of progress, and asks", async () => {
    const { client, problems } = await open({ roots: ["file:///home"] });
    expect(client.server.revision).toBe(revision);
    expect(textOf(await client.tools.call("echo", { a: "ä" }))).toBe('{"a":"ä"}');
    const seen: number[] = [];
    await client.tools.call("count", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen.at(-1)).toBe(3);
    expect(textOf(await client.tools.call("roots"))).toBe("file:///home");
    expect((await client.resources.read(uri)).contents).toMatchObject([{ text: "one" }]);
    await client.ping();
    expect(problems).toEqual([]);
  });

  test("tells of changes that were subscribed to, until they are not", async () => {
    const { client, problems } = await open();
    const changes: unknown[] = [];
    const subscription = await client.subscribe({ resources: [uri] }, (change) => changes.push(change));
    // Where changes come on a stream of their own, that may not be open yet.
    while (changes.length === 0) await client.tools.call("touch");
    expect(changes[0]).toEqual({ kind: "resource", uri });
    await subscription.close();
    expect(await subscription.ended).toEqual({ by: "client" });
    expect(problems).toEqual([]);
  });

  test("hears when a call is given up", async () => {
    const { client } = await open();
    const controller = new AbortController();
    const running = new Promise<void>((resolve) => {
      onRunning = resolve;
    });
    const aborted = new Promise<string>((resolve) => {
      onAborted = resolve;
    });
    const call = failure(client.tools.call("hang", {}, { signal: controller.signal }));
    await running;
    controller.abort();
    expect(await call).toMatchObject({ code: "cancelled" });
    expect(await aborted).toBe(revision);
  });
});

test("a call whose connection the server lets go of is answered all the same", async () => {
  const { client, problems } = await openHttp((await serve()).url, { revisions: ["2025-11-25"] });
  expect(textOf(await client.tools.call("leave"))).toBe("left and came back");
  expect(problems).toEqual([]);
});

test("clients of all revisions use one endpoint at the same time", async () => {
  const { url } = await serve();
  const opened = await Promise.all(revisions.map((revision) => openHttp(url, { revisions: [revision] })));
  const calls = Array.from({ length: 200 }, async (_, index) => {
    const opening = opened[index % opened.length];
    return opening && textOf(await opening.client.tools.call("echo", { index }));
  });
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => `{"index":${index}}`));
});

test.each(revisions)("a client of %s goes on with a server that was restarted", async (revision) => {
  const first = await serve();
  const { client } = await openHttp(first.url, { revisions: [revision] });
  await first.close(0);
  await serve(createNotes(), first.port);
  expect(textOf(await client.tools.call("echo", { again: true }, { retry: true }))).toBe('{"again":true}');
});

test.each(sessions)(
  "a client of %s has its subscriptions renewed by a server that was restarted",
  async (revision) => {
    const first = await serve();
    const { client } = await openHttp(first.url, { revisions: [revision] });
    const changed = new Promise((resolve) => {
      void client.subscribe({ resources: [uri] }, resolve);
    });
    const reconnected = new Promise<void>((resolve) => {
      client.onReconnected(resolve);
    });
    await client.ping();
    await first.close(0);
    const notes = createNotes();
    await serve(notes, first.port);
    await reconnected;
    void notes.resources.updated(uri);
    expect(await changed).toEqual({ kind: "resource", uri });
  },
);

test("a subscription that a closing server ends in good order is over", async () => {
  const running = await serve();
  const { client } = await openHttp(running.url);
  const subscription = await client.subscribe({ resources: [uri] });
  await running.close(1_000);
  expect(await subscription.ended).toEqual({ by: "server" });
});

test("the newest revision that both speak is found", async () => {
  const { client } = await openHttp((await serve()).url);
  expect(client.hint).toEqual({ revision: "2026-07-28", shape: "streamable" });
});

test("the server forgets a session that was closed", async () => {
  const { url } = await serve();
  const ids: string[] = [];
  const watching: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const id = response.headers.get("mcp-session-id");
    if (id) ids.push(id);
    return response;
  };
  const { client } = await openHttp(url, { revisions: ["2025-11-25"], fetch: watching });
  await client.close();
  const headers = { "mcp-session-id": ids[0] ?? "", "mcp-protocol-version": "2025-11-25" };
  expect((await fetch(url, { method: "DELETE", headers })).status).toBe(404);
});
