import { connect } from "allspeak/client";
import { describe, expect, it } from "vitest";
import { exchange } from "../support/http/exchange.ts";
import { callNewest } from "../support/http/stateless-request.ts";
import { readDocSnippet } from "../support/runtimes/doc-snippet.ts";
import { startWorker, workerd } from "../support/runtimes/workerd.ts";

const worker = `
  import { mcp } from "./fixtures/worker.mjs";
  export default { fetch: mcp };
`;
const elicit = () => ({ action: "accept" as const, content: { sure: true } });

describe.skipIf(workerd === undefined).each(["2026-04-01", "2026-11-01"])("workerd of %s", (date) => {
  const options = { compatibilityDate: date };

  it("runs the documented worker, which answers to its public host and to no other", async () => {
    const { origin } = await startWorker(
      readDocSnippet("http.md", "export default {\n  fetch: create"),
      options,
    );
    const call = async (host: string) => {
      const answer = await callNewest(`${origin}/mcp`, "hello", {}, { headers: { host } });
      return [answer.status, await answer.text()];
    };
    expect(await call("hello.example.com")).toEqual([200, expect.stringContaining("Hello")]);
    expect(await call("other.example.com")).toEqual([403, expect.stringContaining("publicUrl")]);
  });

  it("does nothing before the first request that workers forbid there", async () => {
    const strict = `
      import { allowAll } from "./fixtures/only-within-requests.mjs";
      import { mcp } from "./fixtures/worker.mjs";
      export default { fetch: (...args) => (allowAll(), mcp(...args)) };
    `;
    const { origin } = await startWorker(strict, options);
    expect((await callNewest(`${origin}/mcp`, "count")).status).toBe(200);
  });

  it.each([1, 3])("serves many requests of every revision (isolates: %d)", async (isolates) => {
    const { origin, output } = await startWorker(worker, { ...options, isolates });
    for (const revision of ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const) {
      const client = await connect(`${origin}/mcp`, { revisions: [revision] });
      const calls = Array.from({ length: 60 }, (_, n) => client.tools.call("echo", { n }));
      const texts = (await Promise.all(calls)).map(({ content }) => content[0]);
      expect(texts).toEqual(texts.map((_, n) => ({ type: "text", text: `{"n":${n}}` })));
      const steps: number[] = [];
      await client.tools.call("count", {}, { onProgress: ({ progress }) => void steps.push(progress) });
      expect([revision, steps.at(-1)]).toEqual([revision, 3]);
      await client.close();
    }
    expect(output()).toBe("");
  });

  it("asks the client, in another isolate than the one that goes on", async () => {
    const { origin, output } = await startWorker(worker, { ...options, isolates: 2 });
    const client = await connect(`${origin}/mcp`, { elicit });
    expect((await client.tools.call("ask")).content).toEqual([
      { type: "text", text: '{"action":"accept","content":{"sure":true}}' },
    ]);
    await client.close();
    expect(output()).toBe("");
  });

  it("finishes tasks after their call was answered, also those that ask", async () => {
    const { origin, output } = await startWorker(worker, options);
    const client = await connect(`${origin}/mcp`, { elicit, tasks: true });
    const naps = await Promise.all(Array.from({ length: 5 }, () => client.tools.call("nap")));
    expect(naps.map(({ content }) => content)).toEqual(Array(5).fill([{ type: "text", text: "rested" }]));
    expect((await client.tools.call("confirm")).content).toEqual([
      { type: "text", text: expect.stringContaining('"sure":true') },
    ]);
    await client.close();
    expect(output()).toBe("");
  });

  it("says that the context of the request is missing, where tasks need it", async () => {
    const alone = `
      import { mcp } from "./fixtures/worker.mjs";
      export default { fetch: (request) => mcp(request) };
    `;
    const { origin, lines } = await startWorker(alone, options);
    const client = await connect(`${origin}/mcp`, { tasks: true });
    const stop = new AbortController();
    const task = client.tools.call("nap", {}, { signal: stop.signal });
    expect(await lines.next()).toContain("mcp(request, env, ctx)");
    stop.abort();
    await expect(task).rejects.toThrow();
    await client.close();
  });

  it.each([true, false])(
    "aborts the handler of a client that goes away (events before: %s)",
    async (talk) => {
      const { origin, lines } = await startWorker(worker, options);
      const gone = new AbortController();
      const meta = talk ? { progressToken: 1 } : {};
      const call = callNewest(`${origin}/mcp`, "hang", { talk }, { signal: gone.signal, meta });
      call.then((answer) => answer.stream.on("error", () => {})).catch(() => {});
      expect(await lines.next()).toBe("hangs");
      gone.abort();
      expect(await lines.next()).toBe("aborted");
    },
  );

  it("passes a change from one request to the stream of another", async () => {
    const { origin, output } = await startWorker(worker, options);
    const client = await connect(`${origin}/mcp`);
    let onChange = () => {};
    for (let round = 0; round < 3; round++) {
      const changed = new Promise<void>((resolve) => {
        onChange = resolve;
      });
      if (round === 0) await client.subscribe({ resources: ["news://today"] }, () => onChange());
      await client.tools.call("publish");
      await changed;
    }
    await client.close();
    expect(output()).toBe("");
  });
});

describe.skipIf(workerd === undefined).each(["2026-04-01", "2026-11-01"])("Durable Objects of %s", (date) => {
  const recipe = readDocSnippet("http.md", "export class McpSession").replace(
    'server.tool("hello", "Says hello", () => "Hello");',
    `server.tool("hello", "Says hello", () => "Hello");
     server.tool("ask", "Asks", async (_, ctx) =>
       JSON.stringify(await ctx.elicit("sure", "Sure?", { type: "object", properties: { sure: { type: "boolean" } } })));
     server.tool("session", "Names the session", (_, ctx) => String(ctx.session?.id));
     server.resource("news://today", { name: "today" }, () => "rain");
     server.tool("publish", "Changes the news", () => (server.resources.updated("news://today"), "published"));`,
  );
  const options = { compatibilityDate: date, isolates: 1, objects: "McpSession" };
  const text = async (result: Promise<{ content: readonly unknown[] }>) =>
    ((await result).content[0] as { text: string }).text;

  it("the documented recipe keeps sessions, each in an object of its own", async () => {
    const { origin } = await startWorker(recipe, options);
    const open = () => connect(`${origin}/mcp`, { revisions: ["2025-11-25"], elicit });
    const [one, two] = [await open(), await open()];
    const ids = await Promise.all([one, two, one].map((client) => text(client.tools.call("session"))));
    expect(ids).toEqual([ids[0], expect.not.stringMatching(ids[0] ?? ""), ids[0]]);
    expect(await text(one.tools.call("ask"))).toContain('"sure":true');
    const changed = new Promise((resolve) => {
      const subscribed = two.subscribe({ resources: ["news://today"] }, resolve);
      void subscribed.then(() => two.tools.call("publish"));
    });
    await changed;
    await Promise.all([one.close(), two.close()]);
  });

  it("the documented recipe serves 2026-07-28 beside them, and refuses ids that are not its own with 404", async () => {
    const { origin } = await startWorker(recipe, options);
    expect((await callNewest(`${origin}/mcp`, "hello")).status).toBe(200);
    const body = { jsonrpc: "2.0", id: 1, method: "ping" };
    for (const id of ["nonsense", "0".repeat(64)]) {
      const headers = { "content-type": "application/json", "mcp-session-id": id };
      expect((await exchange(`${origin}/mcp`, { body, headers })).status).toBe(404);
    }
  });
});
