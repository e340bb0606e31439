// Everything that a stranger can write into spans and metrics has a bound, and holds no secret.
import type { TextMapGetter } from "@opentelemetry/api";
import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { connect, RpcError } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { otel } from "allspeak/otel";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { exchange } from "../support/http/exchange.ts";
import { toNewest } from "../support/http/stateless-request.ts";
import { startTelemetry } from "./telemetry.ts";

const { api, spans, metrics } = startTelemetry();
beforeEach(async () => void (await metrics()));

/** The different sets of attributes of a histogram: each one is stored. */
async function seriesOf(name: string): Promise<number> {
  const found = (await metrics()).find(({ descriptor }) => descriptor.name === name);
  return found?.dataPoints.length ?? 0;
}

describe("the series of metrics are bounded", () => {
  it("at a client whose server makes codes of errors up", async () => {
    let code = 1_000;
    const server = createServer({ name: "s", version: "1", log: () => {} });
    server.tool("odd", {}, () => {
      throw new RpcError(code++, "odd");
    });
    const client = await connect(server, { telemetry: otel(api) });
    for (let call = 0; call < 300; call++) await client.tools.call("odd").catch(() => {});
    await client.close();
    expect(code).toBe(1_300);
    expect(await seriesOf("mcp.client.operation.duration")).toBeLessThan(120);
    const types = new Set(spans().map(({ attributes }) => attributes["error.type"]));
    expect(types.size).toBeGreaterThan(290);
  });

  it("at a client that passes on names of others, and at a server that others add tools to", async () => {
    const telemetry = otel(api);
    const server = createServer({ name: "s", version: "1", telemetry });
    for (let tool = 0; tool < 1_200; tool++) server.tool(`tool-${tool}`, {}, () => "done");
    server.tool("x".repeat(128), {}, () => "done");
    const client = await connect(server, { telemetry, revisions: ["2025-11-25"] });
    for (let tool = 0; tool < 1_200; tool++) await client.tools.call(`tool-${tool}`);
    await client.tools.call("x".repeat(5_000)).catch(() => {});
    await client.close();
    const longest = Math.max(...spans().map(({ name }) => name.length));
    expect(longest).toBeLessThan(200);
    for (const side of ["client", "server"]) {
      const count = spans().filter(
        ({ name, kind }) => name.startsWith("tools/call") && api.SpanKind[kind] === side.toUpperCase(),
      );
      expect(new Set(count.map(({ name }) => name)).size).toBeLessThan(1_010);
    }
  });
});

it("names that a stranger makes up behind a bridge take no room from those that exist", async () => {
  const telemetry = otel(api);
  const upstream = createServer({ name: "s", version: "1", log: () => {} });
  upstream.tool("real", {}, () => "done");
  const bridge = await openBridge(upstream, { connect: { telemetry } });
  const front = createServer({ name: "front", version: "1", telemetry, log: () => {} });
  front.mount("", bridge);
  const stranger = await connect(front);
  for (let made = 0; made < 1_100; made++) {
    await stranger.tools.call(`made-up-${made}`).catch(() => {});
    await stranger.request(`made/up-${made}`, {}).catch(() => {});
  }
  await metrics();
  await stranger.tools.call("real");
  await stranger.close();
  await bridge.close();
  const measured = await metrics();
  for (const side of ["client", "server"]) {
    const found = measured.find(({ descriptor }) => descriptor.name === `mcp.${side}.operation.duration`);
    const names = found?.dataPoints.map(({ attributes }) => attributes["gen_ai.tool.name"]);
    expect(names).toContain("real");
    expect(found?.dataPoints.length).toBeLessThan(30);
  }
});

it("names that a server answers with a failed tool take no room from those that exist", async () => {
  const server = createServer({ name: "s", version: "1", log: () => {} });
  server.tool("real", {}, () => "done");
  server.use(async (call, next) => {
    if (call.method !== "tools/call" || call.params.name === "real") return next();
    return { content: [{ type: "text", text: "There is no such tool." }], isError: true };
  });
  const client = await connect(server, { telemetry: otel(api) });
  for (let made = 0; made < 1_100; made++) await client.tools.call(`made-up-${made}`);
  await client.tools.call("real");
  await client.close();
  const found = (await metrics()).find(
    ({ descriptor }) => descriptor.name === "mcp.client.operation.duration",
  );
  expect(found?.dataPoints.map(({ attributes }) => attributes["gen_ai.tool.name"])).toContain("real");
  expect(found?.dataPoints.length).toBeLessThan(120);
});

it("the context of a trace that is too long is not read", async () => {
  const read: Record<string, number>[] = [];
  const propagation = {
    inject: () => {},
    extract: (context: unknown, carrier: Record<string, string>, _getter?: TextMapGetter) => {
      read.push(Object.fromEntries(Object.entries(carrier).map(([name, value]) => [name, value.length])));
      return context;
    },
  };
  const server = createServer({
    name: "s",
    version: "1",
    telemetry: otel({ ...api, propagation } as never),
  });
  server.tool("hi", {}, () => "hello");
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  const call = (meta: Record<string, unknown>) =>
    exchange(running.url, toNewest("tools/call", { name: "hi" }, { meta }));
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const huge = "a=1,".repeat(25_000);
  for (const meta of [
    { traceparent, tracestate: "a=1", baggage: "b=2" },
    { traceparent, tracestate: huge, baggage: huge },
    { traceparent: huge, tracestate: "a=1", baggage: 5 },
    { traceparent: huge, tracestate: [huge], baggage: { huge } },
  ])
    expect((await call(meta)).status).toBe(200);
  expect(read).toEqual([
    { traceparent: 55, tracestate: 3, baggage: 3 },
    { traceparent: 55 },
    { tracestate: 3 },
  ]);
});

it("spans hold no secret of a URI, of a message or of a session", async () => {
  const telemetry = otel(api);
  const server = createServer({ name: "s", version: "1", telemetry });
  server.resource("db://{+rest}", {}, () => {
    throw new RpcError(-32050, "No access with token=abcdefghijklmnop0123456789.");
  });
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  const client = await connect(running.url, { revisions: ["2025-11-25"], telemetry });
  const uri = "db://user:hunter22@host/x?access_token=abcdefghijklmnop0123456789";
  await client.resources.read(uri).catch(() => {});
  await client.resources
    .read(`db://${"y".repeat(240)}?access_token=abcdefghijklmnop0123456789`)
    .catch(() => {});
  await client.close();
  const written = JSON.stringify(
    spans().map(({ attributes, status, name }) => ({ attributes, status, name })),
  );
  expect(written).not.toMatch(/hunter22|abcdefgh/);
  const session = spans().find(({ attributes }) => attributes["mcp.session.id"] !== undefined);
  expect(session?.attributes["mcp.session.id"]).toHaveLength(8);
});
