// The spans of notifications in both directions, by the real SDK of OpenTelemetry.
import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { otel } from "allspeak/otel";
import { afterAll, describe, expect, it } from "vitest";
import { revisionNames } from "../matrix/place.ts";
import { Queue } from "../support/queue.ts";
import { startTelemetry } from "./telemetry.ts";

const { api, spans, ended, trees, metrics } = startTelemetry();
const telemetry = otel(api);
const note = "note://one";
const server = createServer({ name: "s", version: "1", log: () => {}, telemetry });
server.tool("logs", {}, async (_args, ctx) => {
  await ctx.log("warning", "careful");
  await ctx.progress(1, 2);
  return "done";
});
server.resource(note, {}, () => "text");
const heard = new Queue<string>();
server.onNotification("acme/heard", {}, () => heard.push("acme/heard"));
const http = await serveHttp(server);
afterAll(() => http.close(0));

const named = (name: string) => trees().filter(({ span }) => span.endsWith(name));
const sentAndReceived = (name: string) => ({
  span: `CLIENT ${name}`,
  children: [{ span: `SERVER ${name}` }],
});

describe.each(revisionNames.filter((revision) => revision !== "2026-07-28"))("in %s", (revision) => {
  it.each(["http", "memory"])("the client's notifications/initialized is one trace over %s", async (way) => {
    const client = await connect(way === "http" ? http.url : server, { revisions: [revision], telemetry });
    await ended("SERVER notifications/initialized");
    await client.close();
    expect(named("notifications/initialized")).toEqual([sentAndReceived("notifications/initialized")]);
  });

  it.each(["http", "memory"])("a change that the server announces is one trace over %s", async (way) => {
    const updates = new Queue<string>();
    const client = await connect(way === "http" ? http.url : server, { revisions: [revision], telemetry });
    await client.subscribe({ resources: [note] }, () => updates.push(note));
    await server.resources.updated(note);
    await updates.next();
    await ended("CLIENT notifications/resources/updated");
    await ended("SERVER notifications/resources/updated");
    await client.close();
    const [announced] = named("notifications/resources/updated");
    expect(announced).toEqual(sentAndReceived("notifications/resources/updated"));
    const [span] = spans().filter(({ name }) => name === "notifications/resources/updated");
    expect(span?.attributes).toMatchObject({ "mcp.resource.uri": note, "mcp.protocol.version": revision });
    expect(span?.attributes["jsonrpc.request.id"]).toBeUndefined();
  });
});

it.each(revisionNames)("a log message of a call of %s is in the trace of the call", async (revision) => {
  const logged = new Queue<unknown>();
  const client = await connect(server, {
    revisions: [revision],
    telemetry,
    onLog: (entry) => logged.push(entry),
  });
  await client.setLogLevel("debug");
  await client.tools.call("logs", {}, { onProgress: () => {} });
  await logged.next();
  await ended("SERVER notifications/message");
  await client.close();
  const [call] = named("tools/call logs");
  expect(call?.children?.[0]?.children).toEqual([sentAndReceived("notifications/message")]);
  // Progress belongs to the request, which has a span.
  expect(spans().filter(({ name }) => name === "notifications/progress")).toEqual([]);
});

it("a custom notification has its name only where somebody listens", async () => {
  await metrics();
  const client = await connect(server, { revisions: ["2025-11-25"], telemetry });
  await client.notify("acme/heard", {});
  await heard.next();
  await ended("SERVER acme/heard");
  await client.notify("acme/unheard", {});
  await ended("SERVER _OTHER");
  await client.close();
  expect(named("acme/heard")).toEqual([sentAndReceived("acme/heard")]);
  expect(named("acme/unheard")).toEqual([
    { span: "CLIENT acme/unheard", children: [{ span: "SERVER _OTHER" }] },
  ]);
  const measured = (await metrics()).filter(({ descriptor }) =>
    descriptor.name.endsWith("operation.duration"),
  );
  const points = measured.flatMap(({ dataPoints, descriptor }) =>
    dataPoints.map(({ attributes }) => ({ name: descriptor.name, attributes })),
  );
  expect(points).toContainEqual({
    name: "mcp.server.operation.duration",
    attributes: expect.objectContaining({
      "mcp.method.name": "notifications/initialized",
      "network.transport": "pipe",
    }),
  });
  const methods = measured.flatMap(({ dataPoints }) =>
    dataPoints.map(({ attributes }) => attributes["mcp.method.name"]),
  );
  expect(methods).toContain("notifications/initialized");
});
