// Spans and metrics of both sides, by the real SDK of OpenTelemetry.
import { context, propagation, trace } from "@opentelemetry/api";
import { createServer, RpcError, ToolError, tool } from "allspeak";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { otel } from "allspeak/otel";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { revisionNames } from "../matrix/place.ts";
import { Queue } from "../support/queue.ts";
import { startTelemetry } from "./telemetry.ts";

const { api, spans, trees, metrics } = startTelemetry();
const telemetry = otel(api);

it.each([undefined, {}, { trace }])("otel(%o) is refused with what to pass", (given) => {
  expect(() => otel(given as unknown as typeof api)).toThrow(
    expect.objectContaining({
      code: "usage",
      message: expect.stringMatching(
        /^otel takes the package @opentelemetry\/api, .* "@opentelemetry\/api"\.$/,
      ),
    }),
  );
});

const started = new Queue<void>();
const server = createServer({
  name: "s",
  version: "1",
  log: () => {},
  telemetry,
  tools: [
    tool("echo", { input: z.object({ text: z.string() }) }, async ({ text }) => {
      await trace.getTracer("author").startActiveSpan("work of the author", async (span) => span.end());
      return text;
    }),
    tool("fails", {}, () => {
      throw new ToolError("No luck.");
    }),
    tool("breaks", {}, () => {
      throw new RpcError(-32050, "broken");
    }),
    tool("rants", {}, () => {
      throw new RpcError(-32050, "no".repeat(10_000));
    }),
    tool("waits", {}, (_args, ctx) => {
      started.push();
      return new Promise((_, reject) =>
        ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)),
      );
    }),
    tool("asks", {}, async (_args, ctx) => {
      const { action } = await ctx.elicit("sure", "Sure?", z.object({ yes: z.boolean() }));
      return action;
    }),
    tool("works", { task: "required" }, async () => {
      await trace.getTracer("author").startActiveSpan("work of the author", async (span) => span.end());
      return "done";
    }),
    tool("baggage", {}, () => propagation.getActiveBaggage()?.getEntry("tenant")?.value ?? "none"),
  ],
});
server.prompt("greet", {}, () => "Hello");
server.resource("note://{name}", {}, () => "text");
const http = await serveHttp(server);
afterAll(() => http.close(0));

/** Connects with telemetry, and forgets the spans of connecting. */
async function open(
  options: ConnectOptions = {},
  target: string | typeof server = http.url,
): Promise<Client> {
  const client = await connect(target, {
    telemetry,
    elicit: async () => ({ action: "accept", content: { yes: true } }),
    ...options,
  });
  return client;
}

/** The trees of the spans that one action makes. */
async function treesOf(client: Client, act: () => Promise<unknown>) {
  const before = trees().length;
  await act().catch(() => {});
  await client.close();
  return trees().slice(before);
}

const served = (children?: object[]) => ({ span: "SERVER tools/call echo", ...(children && { children }) });

describe.each(revisionNames)("in %s", (revision) => {
  it.each(["http", "memory"])(
    "a call over %s is one trace, with the spans of the author in it",
    async (transport) => {
      const client = await open({ revisions: [revision] }, transport === "http" ? http.url : server);
      if (transport === "http") await client.tools.list().all();
      const made = await treesOf(client, () => client.tools.call("echo", { text: "hello" }));
      expect(made).toEqual([
        { span: "CLIENT tools/call echo", children: [served([{ span: "INTERNAL work of the author" }])] },
      ]);
      const { attributes } =
        spans().find(({ name, kind }) => name === "tools/call echo" && kind === api.SpanKind.SERVER) ?? {};
      expect(attributes).toMatchObject({
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": revision,
        "gen_ai.tool.name": "echo",
        "gen_ai.operation.name": "execute_tool",
        "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
        "network.transport": transport === "http" ? "tcp" : "pipe",
      });
    },
  );

  it("a call that asks is one trace", async () => {
    const client = await open({ revisions: [revision] });
    await client.tools.list().all();
    const made = await treesOf(client, () => client.tools.call("asks"));
    expect(made).toHaveLength(1);
    const call = "CLIENT tools/call asks";
    if (revision === "2026-07-28")
      expect(made).toEqual([
        {
          span: call,
          children: [
            { span: "SERVER tools/call asks" },
            { span: call, children: [{ span: "SERVER tools/call asks" }] },
          ],
        },
      ]);
    else if (revision >= "2025-06-18")
      expect(made).toEqual([
        {
          span: call,
          children: [
            {
              span: "SERVER tools/call asks",
              children: [
                { span: "CLIENT elicitation/create", children: [{ span: "SERVER elicitation/create" }] },
              ],
            },
          ],
        },
      ]);
  });
});

describe("connecting", () => {
  it.each([
    ["2026-07-28", "server/discover"],
    ["2025-11-25", "initialize"],
  ] as const)("in %s is a span of %s on both sides", async (revision, method) => {
    const client = await open({ revisions: [revision] });
    await client.close();
    expect(trees()[0]).toEqual({ span: `CLIENT ${method}`, children: [{ span: `SERVER ${method}` }] });
  });
});

describe("a failure", () => {
  it.each([
    ["fails", "tool_error", undefined],
    ["breaks", "-32050", "broken"],
    ["rants", "-32050", "no".repeat(128)],
  ])("of the tool %s has the type %s on both sides", async (name, type, message) => {
    const client = await open({}, server);
    const made = await treesOf(client, () => client.tools.call(name));
    expect(made).toEqual([
      {
        span: `CLIENT tools/call ${name}`,
        error: type,
        children: [{ span: `SERVER tools/call ${name}`, error: type }],
      },
    ]);
    for (const span of spans().filter((each) => each.name === `tools/call ${name}`))
      expect(span.status).toEqual({ code: api.SpanStatusCode.ERROR, ...(message && { message }) });
  });

  it("of a caller who makes names up adds no names to spans and metrics", async () => {
    await metrics();
    const client = await open({}, server);
    const made = await treesOf(client, async () => {
      await client.tools.call("made-up").catch(() => {});
      await client.request("made/up").catch(() => {});
    });
    expect(made).toMatchObject([
      { children: [{ span: "SERVER tools/call", error: "-32602" }] },
      { children: [{ span: "SERVER _OTHER", error: "-32601" }] },
    ]);
    const measured = (await metrics()).find(
      ({ descriptor }) => descriptor.name === "mcp.server.operation.duration",
    );
    expect(JSON.stringify(measured?.dataPoints.map(({ attributes }) => attributes))).not.toContain("made");
  });

  it.each(["http", "memory"])("by cancellation is one on both sides over %s", async (transport) => {
    const client = await open({}, transport === "http" ? http.url : server);
    if (transport === "http") await client.tools.list().all();
    const stop = new AbortController();
    const made = await treesOf(client, async () => {
      const call = client.tools.call("waits", {}, { signal: stop.signal });
      await started.next();
      stop.abort();
      await call.catch(() => {});
      await client.ping();
    });
    expect(made[0]).toEqual({
      span: "CLIENT tools/call waits",
      error: "cancelled",
      children: [{ span: "SERVER tools/call waits", error: expect.stringMatching(/cancelled|-32603/) }],
    });
  });
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a task of %s is in the trace of its call",
  async (revision) => {
    const client = await open({ revisions: [revision], tasks: true });
    await client.tools.list().all();
    const made = await treesOf(client, () => client.tools.call("works"));
    expect(made).toHaveLength(1);
    expect(made[0]?.children).toContainEqual({
      span: "INTERNAL execute_tool works",
      children: [{ span: "INTERNAL work of the author" }],
    });
  },
);

it("prompts and resources have spans of their own names; the URI is an attribute and not in the name", async () => {
  const client = await open({}, server);
  const made = await treesOf(client, async () => {
    await client.prompts.get("greet");
    await client.resources.read("note://one");
  });
  expect(made).toEqual([
    { span: "CLIENT prompts/get greet", children: [{ span: "SERVER prompts/get greet" }] },
    { span: "CLIENT resources/read", children: [{ span: "SERVER resources/read" }] },
  ]);
  const [prompt] = spans().filter(({ name }) => name === "prompts/get greet");
  expect(prompt?.attributes["gen_ai.prompt.name"]).toBe("greet");
  const [read] = spans().filter(({ name }) => name === "resources/read");
  expect(read?.attributes["mcp.resource.uri"]).toBe("note://one");
});

it("a span around calls is the parent of all of them, and baggage reaches the handler", async () => {
  const client = await open({}, server);
  const baggage = propagation.createBaggage({ tenant: { value: "blue" } });
  const made = await treesOf(client, () =>
    context.with(propagation.setBaggage(context.active(), baggage), () =>
      trace.getTracer("host").startActiveSpan("the host", async (span) => {
        const { content } = await client.tools.call("baggage");
        expect(content).toEqual([{ type: "text", text: "blue" }]);
        await client.tools.call("echo", { text: "a" });
        span.end();
      }),
    ),
  );
  expect(made).toMatchObject([
    {
      span: "INTERNAL the host",
      children: [{ span: "CLIENT tools/call baggage" }, { span: "CLIENT tools/call echo" }],
    },
  ]);
});

it("with continueTraces: false a server begins its own trace, linked to that of the caller", async () => {
  const careful = createServer({ name: "c", version: "1", telemetry: otel(api, { continueTraces: false }) });
  careful.tool("hi", {}, () => "hello");
  const running = await serveHttp(careful);
  const client = await connect(running.url, { telemetry });
  await client.tools.call("hi");
  await client.close();
  await running.close(0);
  const [sent, answered] = [api.SpanKind.CLIENT, api.SpanKind.SERVER].map((kind) =>
    spans().find((span) => span.kind === kind && span.name === "tools/call hi"),
  );
  expect(answered?.parentSpanContext).toBeUndefined();
  expect(answered?.links.map((link) => link.context.traceId)).toEqual([sent?.spanContext().traceId]);
});

it("a propagator of another format adds nothing to the metadata", async () => {
  const seen: unknown[] = [];
  const bare = createServer({ name: "b", version: "1" });
  bare.tool("meta", {}, (_args, ctx) => void seen.push(Object.keys(ctx.meta)));
  const b3 = {
    inject: (_: unknown, carrier: object) => void Object.assign(carrier, { b3: "1" }),
    extract: (c: unknown) => c,
  };
  const foreign = { ...api, propagation: { ...b3, getActiveBaggage: () => undefined } } as never;
  const client = await connect(bare, { telemetry: otel(foreign) });
  await client.tools.call("meta");
  await client.close();
  expect(seen.flat()).not.toContain("b3");
});

it("metrics measure operations on both sides, and connections", async () => {
  await metrics();
  const client = await open();
  await client.tools.call("echo", { text: "a" });
  await client.tools.call("fails");
  await client.close();
  const all = await metrics();
  const points = (name: string) =>
    all
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints, descriptor }) =>
        dataPoints.map(({ attributes }) => ({ unit: descriptor.unit, ...attributes })),
      );
  for (const side of ["client", "server"]) {
    const found = points(`mcp.${side}.operation.duration`);
    expect(found).toContainEqual(expect.objectContaining({ unit: "s", "gen_ai.tool.name": "echo" }));
    expect(found).toContainEqual(
      expect.objectContaining({ "gen_ai.tool.name": "fails", "error.type": "tool_error" }),
    );
    expect(JSON.stringify(found)).not.toContain("jsonrpc.request.id");
  }
  expect(points("mcp.client.session.duration")).toEqual([
    {
      unit: "s",
      "mcp.protocol.version": "2026-07-28",
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "server.address": "127.0.0.1",
      "server.port": http.port,
    },
  ]);
});
