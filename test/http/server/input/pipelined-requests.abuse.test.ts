// Several requests of one connection that do not wait for each other's answers.
import { createServer } from "allspeak";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { RawSocket, toRequestText, toResponses } from "../../../support/http/raw-socket.ts";
import { toNewest } from "../../../support/http/stateless-request.ts";
import { Queue } from "../../../support/queue.ts";

async function serve() {
  const waiting: (() => void)[] = [];
  const started = new Queue<string>();
  const aborted = new Queue<string>();
  const server = createServer({ name: "s", version: "1" });
  server.tool("fast", {}, () => "fast");
  server.tool("logs", {}, async (_, ctx) => {
    for (let line = 0; line < 100; line++) await ctx.log("warning", "x".repeat(10_000));
    return "logged";
  });
  server.tool("waits", {}, (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.push("waits"));
    const waited = new Promise<string>((resolve) => waiting.push(() => resolve("waited")));
    started.push("waits");
    return waited;
  });
  server.tool("floods", {}, async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.push("floods"));
    started.push("floods");
    while (!ctx.signal.aborted) await ctx.log("warning", "x".repeat(100_000));
    aborted.push("stopped");
    return "flooded";
  });
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  const socket = new RawSocket(running.port);
  onTestFinished(() => socket.destroy());
  const write = (...calls: { body: object; headers: Record<string, string | undefined> }[]) =>
    socket.write(calls.map((call) => toRequestText(call)).join(""));
  return { socket, write, waiting, started, aborted };
}

const call = (id: number, name: string, meta: Record<string, unknown> = {}) =>
  toNewest("tools/call", { name }, { id, meta });
const logged = { "io.modelcontextprotocol/logLevel": "debug" };

describe("pipelined requests", () => {
  it("are answered in their order, whichever is done first", async () => {
    const { socket, write, waiting, started } = await serve();
    write(call(1, "waits"), call(2, "fast"), call(3, "logs", logged), call(4, "fast"));
    await started.next();
    for (const finish of waiting) finish();
    const text = await socket.until((come) => toResponses(come).length === 4);
    const ids = toResponses(text).map(({ body }) => [...body.matchAll(/"id":(\d)/g)].map(([, id]) => id));
    expect(ids).toEqual([["1"], ["2"], ["3"], ["4"]]);
  });

  it("are all cancelled when their client goes away", async () => {
    const { socket, write, started, aborted } = await serve();
    write(...[1, 2, 3, 4, 5].map((id) => call(id, "waits")));
    await started.take(5);
    socket.destroy();
    expect(await aborted.take(5)).toHaveLength(5);
  });

  it("stop waiting for a reader that has gone away", async () => {
    const { socket, write, started, aborted } = await serve();
    write(call(1, "waits"), call(2, "floods", logged));
    await started.next();
    expect(await started.next()).toBe("floods");
    socket.destroy();
    expect((await aborted.take(3)).sort()).toEqual(["floods", "stopped", "waits"]);
  });
});
