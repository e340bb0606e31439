import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { openBridge } from "allspeak/bridge";
import { openGateway } from "allspeak/gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../support/open-client.ts";
// @ts-expect-error It is a program, too, and has no types.
import { createInitialized } from "./fixtures/initialized-server.mjs";

const program = fileURLToPath(new URL("fixtures/initialized-server.mjs", import.meta.url));

/** The server over HTTP, with a session for each client. */
async function serveOverHttp(): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createInitialized().connect(transport);
    return transport;
  };
  const listener = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    await (known ?? (await open())).handleRequest(request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
}

const targets = {
  stdio: async () => ({ command: process.execPath, args: [program, "--stdio"] }),
  HTTP: serveOverHttp,
};

describe.each(Object.entries(targets))("an official server over %s", (_, reach) => {
  it("is initialized before a bridge sends it a call", async () => {
    const bridge = await openBridge(await reach());
    onTestFinished(() => bridge.close());
    const client = await openClient(bridge.server);
    expect((await client.tools.call("read")).content).toMatchObject([{ text: "initialized" }]);
  });

  it("is initialized before a gateway sends it a call", async () => {
    const gateway = await openGateway({ servers: { one: await reach() }, listMs: 60_000 });
    onTestFinished(() => gateway.close());
    const client = await openClient(gateway.server);
    expect((await client.tools.call("one__read")).content).toMatchObject([{ text: "initialized" }]);
  });
});
