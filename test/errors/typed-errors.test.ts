import * as index from "allspeak";
import { createServer, McpError } from "allspeak";
import * as auth from "allspeak/auth";
import * as authDev from "allspeak/auth/dev";
import * as bridge from "allspeak/bridge";
import * as clientEntry from "allspeak/client";
import { connect } from "allspeak/client";
import * as gateway from "allspeak/gateway";
import * as host from "allspeak/host";
import * as http from "allspeak/http";
import * as node from "allspeak/node";
import { serveSocket, socketTransport } from "allspeak/node";
import { expect, test } from "vitest";

const form = { type: "object", properties: { name: { type: "string" } } } as const;
const revisions = ["2025-11-25"] as const;

function createAsking() {
  const server = createServer({ name: "test", version: "1.0.0", log: () => {} });
  server.tool("elicit", {}, async (_, ctx) => (await ctx.elicit("Name?", form)).action);
  server.tool("request", {}, async (_, ctx) => String(await ctx.request("acme/unknown")));
  server.tool(
    "wait",
    {},
    (_, ctx) => new Promise((_, reject) => ctx.signal.addEventListener("abort", reject)),
  );
  return server;
}

test("every error class that an entry exports is an McpError", () => {
  const entries = { index, auth, authDev, bridge, clientEntry, gateway, host, http, node };
  const classes = Object.values(entries)
    .flatMap((entry) => Object.entries(entry))
    .filter(([, value]) => typeof value === "function" && value.prototype instanceof Error);
  expect(classes.length).toBeGreaterThan(20);
  const others = classes.filter(([, value]) => value !== McpError && !(value.prototype instanceof McpError));
  expect(others.map(([name]) => name)).toEqual([]);
});

test("an elicit handler that throws is reported as a HandlerError, with what it threw as the cause", async () => {
  const problems: Error[] = [];
  const thrown = new TypeError("no window");
  const elicit = () => {
    throw thrown;
  };
  const client = await connect(createAsking(), {
    revisions,
    elicit,
    onProblem: (problem) => problems.push(problem),
  });
  await expect(client.tools.call("elicit")).rejects.toBeInstanceOf(McpError);
  expect(problems).toMatchObject([{ code: "handler", message: "elicit handler: no window", cause: thrown }]);
  await client.close();
});

test("a request that the client does not know fails the call as an internal error, not as an unknown method", async () => {
  const client = await connect(createAsking(), { revisions });
  await expect(client.tools.call("request")).rejects.toMatchObject({
    code: "rpc",
    wireCode: -32603,
    message: expect.stringContaining("The client refused a request of this call: "),
  });
  await client.close();
});

test("a connection that breaks rejects its calls with a ConnectionClosedError", async () => {
  const running = await serveSocket(createAsking(), { port: 0 });
  const client = await connect(socketTransport(running.address));
  const call = client.tools.call("wait");
  const outcome = expect(call).rejects.toMatchObject({ code: "connection-closed" });
  await running.close(0);
  await outcome;
  expect(await client.closed).toBeInstanceOf(McpError);
});
