import { Agent } from "node:http";
import { CancelledError, createServer } from "allspeak";
import { connect } from "allspeak/client";
import { createFetchHandler } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { toInitialize } from "../../support/http/raw-session.ts";
import { toNewest } from "../../support/http/stateless-request.ts";
import { Queue } from "../../support/queue.ts";

describe.each(entries)("$name", (entry) => {
  it("lets calls over HTTP+SSE come to their end when it closes", async () => {
    const { server, started, release } = createFixture();
    const { origin, close } = await open(entry, server);
    const events = (await exchange(`${origin}/sse`)).events();
    const { data } = (await events.next()) ?? {};
    const headers = { "content-type": "application/json" };
    const post = (body: object) => exchange(new URL(data ?? "", origin).href, { body, headers });
    await post(toInitialize("2024-11-05"));
    await events.message();
    await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    await post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "wait", arguments: { name: "last" } },
    });
    await started.next();
    const closed = close();
    release("last");
    expect(await events.message()).toMatchObject({ id: 1, result: { content: [{ text: "released last" }] } });
    await closed;
  });

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "does not wait, when it closes, for a call of %s whose client is gone",
    async (revision) => {
      const seen = new Queue<string>();
      const server = createServer({ name: "test", version: "1.0.0" });
      server.tool("stubborn", {}, (_, { signal }) => {
        signal.addEventListener("abort", () => seen.push("aborted"));
        seen.push("started");
        return new Promise<string>(() => {});
      });
      const { url, close } = await open(entry, server);
      const client = await connect(url, { revisions: [revision], hints: new Map() });
      const stop = new AbortController();
      const call = client.tools.call("stubborn", {}, { signal: stop.signal });
      expect(await seen.next()).toBe("started");
      stop.abort();
      await expect(call).rejects.toThrow(CancelledError);
      expect(await seen.next()).toBe("aborted");
      await client.close();
      // It would wait for an hour, longer than this test may take.
      await close(3_600_000);
    },
  );
});

it("a server that closes ends each connection with an answer, and not while a request may be on its way", async () => {
  const { server, started, release } = createFixture();
  const { url, close } = await serveHttp(server);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const call = (args: object, name = "echo") =>
    exchange(url, { ...toNewest("tools/call", { name, arguments: args }), agent });
  const running = call({ name: "last" }, "wait");
  await started.next();
  const before = await call({ text: "before" });
  await before.text();
  const closed = close();
  const after = await call({ text: "after" });
  await after.text();
  const long = await call({ text: "x".repeat(100_000) });
  await long.text();
  release("last");
  await (await running).text();
  await closed;
  const seen = [before, after, long].map(({ status, headers }) => [status, headers.connection]);
  expect(seen).toEqual([
    [200, "keep-alive"],
    [503, "close"],
    [503, "keep-alive"],
  ]);
});

it("the fetch handler aborts what is still running when its time to drain is up", async () => {
  const { server, started, aborted } = createFixture();
  const handle = createFetchHandler(server);
  const { body, headers } = toNewest("tools/call", { name: "wait", arguments: { name: "endless" } });
  const answer = handle(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: headers as Record<string, string>,
      body: JSON.stringify(body),
    }),
  );
  await started.next();
  await handle.close(50);
  expect(await aborted.next()).toBe("endless");
  expect((await answer).status).toBe(503);
});
