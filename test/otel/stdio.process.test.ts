// Traces and sessions of a server in a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { connect } from "allspeak/client";
import { otel } from "allspeak/otel";
import { expect, it } from "vitest";
import { revisionNames } from "../matrix/place.ts";
import { startTelemetry } from "./telemetry.ts";

const { api, spans } = startTelemetry();
const program = fileURLToPath(new URL("fixtures/traced-server.mjs", import.meta.url));

it.each(revisionNames)("a call of %s over stdio is one trace", async (revision) => {
  const target = { command: process.execPath, args: [program] };
  const client = await connect(target, { revisions: [revision], telemetry: otel(api) });
  const { content } = await client.tools.call("span");
  await client.close();
  const sent = spans()
    .find(({ name }) => name === "tools/call span")
    ?.spanContext();
  expect(JSON.parse((content[0] as { text: string }).text)).toMatchObject({
    name: "tools/call span",
    kind: api.SpanKind.SERVER,
    parent: { traceId: sent?.traceId, spanId: sent?.spanId, isRemote: true },
  });
});

it("a session over stdio is measured when its input ends, before onShutdown", async () => {
  const measured = fileURLToPath(new URL("fixtures/measured-server.mjs", import.meta.url));
  const server = spawn(process.execPath, [measured], { stdio: ["pipe", "pipe", "pipe"] });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  server.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  const [points] = await Promise.all([text(server.stderr), text(server.stdout), once(server, "close")]);
  const attributes = { "mcp.protocol.version": "2025-06-18", "network.transport": "pipe" };
  expect(JSON.parse(points)).toEqual([{ attributes, count: 1 }]);
});
