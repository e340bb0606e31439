// A trace that goes through a process of its own.
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
