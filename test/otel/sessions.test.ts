// The durations of sessions on both sides, by the real SDK of OpenTelemetry.
import type { MetricData } from "@opentelemetry/sdk-metrics";
import { createServer } from "allspeak";
import { type ConnectOptions, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { otel } from "allspeak/otel";
import { afterAll, beforeEach, expect, it } from "vitest";
import { revisionNames } from "../matrix/place.ts";
import { startTelemetry } from "./telemetry.ts";

const { api, metrics, recorded } = startTelemetry();
const telemetry = otel(api);
const note = "note://one";
const server = createServer({ name: "s", version: "1", log: () => {}, telemetry });
server.tool("hi", {}, () => "hello");
server.resource(note, {}, () => "text");
const http = await serveHttp(server);
afterAll(() => http.close(0));
// The points of the time before do not count.
beforeEach(() => metrics());

/** The points of the durations of sessions that one side measured. */
function sessionsOf(metrics: readonly MetricData[], side: "client" | "server") {
  const all = metrics.filter(({ descriptor }) => descriptor.name === `mcp.${side}.session.duration`);
  return all.flatMap(({ dataPoints, descriptor }) =>
    dataPoints.map(({ attributes, value }) => ({
      unit: descriptor.unit,
      count: (value as { count: number }).count,
      attributes,
    })),
  );
}

async function openAndClose(target: Parameters<typeof connect>[0], options: ConnectOptions) {
  const client = await connect(target, options);
  await client.tools.call("hi");
  await client.close();
}

const sessionRevisions = revisionNames.filter((revision) => revision !== "2026-07-28");

it.each(sessionRevisions)(
  "a session of %s over HTTP is measured when its client ends it",
  async (revision) => {
    await openAndClose(http.url, { revisions: [revision] });
    expect(sessionsOf(await metrics(), "server")).toEqual([
      {
        unit: "s",
        count: 1,
        attributes: {
          "mcp.protocol.version": revision,
          "network.transport": "tcp",
          "network.protocol.name": "http",
        },
      },
    ]);
  },
);

it.each(sessionRevisions)("the handshake of %s over HTTP is measured with its network", async (revision) => {
  await openAndClose(http.url, { revisions: [revision] });
  const [opened] = (await metrics())
    .filter(({ descriptor }) => descriptor.name === "mcp.server.operation.duration")
    .flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes))
    .filter((attributes) => attributes["mcp.method.name"] === "initialize");
  expect(opened).toEqual({
    "mcp.method.name": "initialize",
    "network.transport": "tcp",
    "network.protocol.name": "http",
  });
});

it.each(sessionRevisions)("a session of %s in memory is measured on both sides", async (revision) => {
  const client = await connect(server, { revisions: [revision], telemetry });
  await client.close();
  await Promise.all([recorded("mcp.client.session.duration"), recorded("mcp.server.session.duration")]);
  const attributes = { "mcp.protocol.version": revision };
  const all = await metrics();
  expect(sessionsOf(all, "server")).toEqual([
    { unit: "s", count: 1, attributes: { ...attributes, "network.transport": "pipe" } },
  ]);
  expect(sessionsOf(all, "client")).toEqual([{ unit: "s", count: 1, attributes }]);
});

it("2026-07-28 has no sessions, so a server measures none", async () => {
  await openAndClose(http.url, { revisions: ["2026-07-28"] });
  expect(sessionsOf(await metrics(), "server")).toEqual([]);
});

it("a server that closes ends the sessions over HTTP that it measures", async () => {
  const running = await serveHttp(server);
  const client = await connect(running.url, { revisions: ["2025-11-25"] });
  await running.close(0);
  expect(sessionsOf(await metrics(), "server")).toMatchObject([{ count: 1 }]);
  await client.close();
});

it("a session with subscriptions is measured, and gives them back", async () => {
  const watched = createServer({ name: "w", version: "1", telemetry });
  watched.resource(note, {}, () => "text");
  const client = await connect(watched, { revisions: ["2025-11-25"] });
  await client.subscribe({ resources: [note] }, () => {});
  await client.close();
  await recorded("mcp.server.session.duration");
  expect(sessionsOf(await metrics(), "server")).toMatchObject([{ count: 1 }]);
});

it("a session that an error ended has its type", async () => {
  const client = await connect(
    { command: process.execPath, args: ["-e", crashing] },
    { revisions: ["2025-11-25"], telemetry },
  );
  await client.tools.call("hi").catch(() => {});
  await client.closed;
  expect(sessionsOf(await metrics(), "client")).toMatchObject([
    { count: 1, attributes: { "error.type": expect.any(String) } },
  ]);
});

/** A server that answers `initialize`, and ends with the first call. */
const crashing = `
  const { createInterface } = require("node:readline");
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "tools/call") process.exit(3);
    if (method !== "initialize") return;
    const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "c", version: "1" } };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`;
