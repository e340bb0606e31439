import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { connect } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";

/** One server with one stateful transport, as in the shortest examples of the SDK. */
async function startOfficial(name: string): Promise<StreamableHTTPServerTransport> {
  const server = new McpServer({ name, version: "1" });
  server.registerTool("name", {}, () => ({ content: [{ type: "text", text: name }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  await server.connect(transport as Parameters<McpServer["connect"]>[0]);
  return transport;
}

it("a server with one stateful transport of the official SDK v1 that was restarted is recovered from", async () => {
  let transport = await startOfficial("first");
  const http = createServer(
    (request: IncomingMessage, response: ServerResponse) => void transport.handleRequest(request, response),
  );
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await transport.close();
    http.closeAllConnections();
    http.close();
  });
  const problems: Error[] = [];
  let reconnections = 0;
  const client = await connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, {
    onReconnected: () => reconnections++,
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(() => client.close());
  expect((await client.tools.call("name")).content).toEqual([{ type: "text", text: "first" }]);

  const before = transport;
  transport = await startOfficial("second");
  await before.close();

  expect((await client.tools.call("name")).content).toEqual([{ type: "text", text: "second" }]);
  expect(reconnections).toBe(1);
  expect(problems).toEqual([]);
});
