import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPage } from "../support/page.ts";
import { createDemoServer } from "../support/server.ts";

const offers = { servers: { demo: { target: createDemoServer(), title: "A demo", isFirst: true } } };
const demo = { kind: "offered", name: "demo" } as const;

describe("the inspector", () => {
  test("connects to a server that was handed in, and shows how the revision was negotiated", async () => {
    const { page, session } = await openPage(offers);
    expect(session.offered).toEqual([{ name: "demo", title: "A demo", isFirst: true }]);

    const { connection } = await page.send("connect", { target: demo });
    expect(connection).toMatchObject({ state: "open", revision: session.revisions[0], transport: "memory" });
    expect(connection.steps.map(({ what }) => what)).toEqual([
      "server/discover",
      `result of server/discover (${session.revisions.join(", ")})`,
    ]);
  });

  test("connects to a URL in a revision that the person chose", async () => {
    const running = await serveHttp(createDemoServer());
    onTestFinished(() => running.close());
    const { page } = await openPage();

    const { connection } = await page.send("connect", {
      target: { kind: "url", url: running.url },
      options: { revisions: ["2025-06-18"], label: "mine" },
    });
    expect(connection).toMatchObject({
      label: "mine",
      state: "open",
      revision: "2025-06-18",
      transport: "streamable-http",
    });
    const wire = await page.send("read-wire", { from: 0, count: 10 });
    expect(wire.entries[0]).toMatchObject({
      method: "initialize",
      pair: expect.any(Number),
      http: { method: "POST", status: 200 },
    });
  });

  test("connects again with the same options, under a name that no open connection has", async () => {
    const running = await serveHttp(createDemoServer());
    onTestFinished(() => running.close());
    const { page } = await openPage();
    const target = { kind: "url", url: running.url } as const;
    const options = { revisions: ["2025-06-18"] };
    const { connection: first } = await page.send("connect", { target, options });
    const { connection: second } = await page.send("connect-again", { connection: first.id });
    expect(first).toMatchObject({ label: "demo", revision: "2025-06-18" });
    expect(second).toMatchObject({ label: "demo 2", revision: "2025-06-18", target });

    await page.send("disconnect", { connection: first.id });
    await page.next("connection", ({ connection: { id, state } }) => id === first.id && state === "closed");
    const { connection: third } = await page.send("connect-again", { connection: first.id });
    expect(third).toMatchObject({ label: "demo", state: "open" });
  });

  test("connects over HTTP+SSE where the person chose it, in the revision that has it", async () => {
    const running = await serveHttp(createDemoServer());
    onTestFinished(() => running.close());
    const { page } = await openPage();
    const url = new URL("/sse", running.url).href;
    const { connection } = await page.send("connect", {
      target: { kind: "url", url },
      options: { transport: "http-sse-2024" },
    });
    expect(connection).toMatchObject({ revision: "2024-11-05", transport: "http-sse-2024" });
  });

  test("calls a tool and finds its messages on the wire", async () => {
    const { page } = await openPage(offers);
    const { connection } = await page.send("connect", { target: demo });
    const { items } = await page.send("list-tools", { connection: connection.id });
    expect(items.map(({ name }) => name)).toContain("echo");

    const answer = await page.send("call-tool", {
      connection: connection.id,
      name: "echo",
      arguments: { text: "hello" },
    });
    expect(answer.result.content).toEqual([{ type: "text", text: "hello" }]);
    const [first = 0] = answer.wire ?? [];
    const { text, entry } = await page.send("read-wire-entry", { seq: first });
    expect(JSON.parse(text)).toMatchObject({ method: "tools/call", params: { name: "echo" } });
    expect(entry).toMatchObject({ kind: "request", method: "tools/call", name: "echo" });
  });
});
