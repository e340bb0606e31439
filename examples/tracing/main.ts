// One trace from a client through HTTP to the spans of a tool, and the durations of all calls:
//   node scripts/run.js examples/tracing/main.ts
import assert from "node:assert/strict";
import * as api from "@opentelemetry/api";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { otel } from "allspeak/otel";
import { startTelemetry } from "./telemetry.ts";

const telemetry = startTelemetry();
// Imported after the SDK has started, as an instrumented program does.
const { server } = await import("./server.ts");
const running = await serveHttp(server);
const client = await connect(running.url, { telemetry: otel(api) });

await api.trace.getTracer("assistant").startActiveSpan("answer the user", async (span) => {
  await client.tools.call("forecast", { city: "Oslo" });
  span.end();
});
await client.close();
await running.close();

// A real program exports to a collector; this one keeps its spans in memory and prints them.
const names = telemetry.trace("answer the user");
for (const [depth, name] of names) console.log(`${"  ".repeat(depth)}${name}`);
assert.deepEqual(
  names.filter(([, name]) => !name.includes("tools/list")),
  [
    [0, "answer the user"],
    [1, "CLIENT tools/call forecast"],
    [2, "SERVER tools/call forecast"],
    [3, "read the station"],
  ],
);

const measured = await telemetry.metrics();
console.log(measured.join(", "));
assert.deepEqual(measured, [
  "mcp.client.operation.duration",
  "mcp.client.session.duration",
  "mcp.server.operation.duration",
]);
await telemetry.stop();
console.log("All as expected.");
