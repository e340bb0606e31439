import { Server } from "node:http";
import { createFetchHandler } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createFixture } from "../../support/http/fixture.ts";
import { RawSocket, toResponses } from "../../support/http/raw-socket.ts";

const head =
  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{";

/** A request whose body never ends. */
function createEndless(): Request {
  const never = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array([123])) });
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: never,
    duplex: "half",
  } as RequestInit);
}

describe("a request that takes its time, by default", () => {
  it("has 10 s for its head, which node looks after every 2 s", async () => {
    const listening = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listening.mockRestore());
    const running = await serveHttp(createFixture().server);
    onTestFinished(() => running.close(0));
    expect(listening.mock.contexts[0]).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
    });
  });

  it("finds its connection open 72 s after the last one", async () => {
    const running = await serveHttp(createFixture().server);
    onTestFinished(() => running.close(0));
    const { headers } = await fetch(new URL("/health", running.url));
    expect(headers.get("keep-alive")).toBe("timeout=72");
  });

  it("is answered with 408 when its body has taken 20 s, and not before", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { server } = createFixture();
    const running = await serveHttp(server);
    const handle = createFetchHandler(server);
    onTestFinished(async () => {
      await handle.close(0);
      await running.close(0);
    });
    const over = new Set<string>();
    const stuck = new RawSocket(running.port).write(head);
    const ended = stuck.end().finally(() => over.add("socket"));
    const fetched = handle(createEndless()).finally(() => over.add("fetch"));
    // A second request shows that the first has arrived, so that its time runs.
    const another = new RawSocket(running.port).write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await another.until((text) => text.includes("200"));
    another.destroy();

    await vi.advanceTimersByTimeAsync(19_000);
    expect([...over]).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await fetched).status).toBe(408);
    expect(toResponses(await ended)[0]?.status).toBe(408);
  });
});
