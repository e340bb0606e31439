import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createServer, RpcError, tool } from "allspeak";
import { memoryState } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBalancer, pickInTurn } from "../../support/balancer.ts";

const info = { name: "official", version: "1.0.0" };

interface Caller {
  callTool(params: { name: string }): Promise<{ content?: unknown }>;
}

/** An official client, and what it asked for by GET. */
async function connect(
  generation: string,
  url: string,
): Promise<{ client: Caller; gets: number[]; problems: Error[] }> {
  const gets: number[] = [];
  const problems: Error[] = [];
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === "GET") gets.push(response.status);
    return response;
  };
  const client = generation === "v1" ? new ClientV1(info) : new ClientV2(info);
  client.onerror = (error) => problems.push(error);
  const transport =
    generation === "v1"
      ? new TransportV1(new URL(url), { fetch: watched })
      : new TransportV2(new URL(url), { fetch: watched });
  await (client as ClientV1).connect(transport as unknown as Transport);
  onTestFinished(() => client.close());
  return { client: client as Caller, gets, problems };
}

describe.each(["v1", "v2"])("the official SDK %s client", (generation) => {
  test("comes back for the answer to a call that let go of its connection, once or often", async () => {
    let polls = 0;
    const patient = tool("patient", {}, async (_, ctx) => {
      for (polls = 0; polls < 3; polls++) {
        ctx.disconnect();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return "at last";
    });
    const server = createServer({ name: "polling", version: "1", tools: [patient] });
    const running = await serveHttp(server, { sessions: { retryMs: 20 } });
    onTestFinished(() => running.close(0));
    const { client, gets, problems } = await connect(generation, running.url);
    expect((await client.callTool({ name: "patient" })).content).toEqual([{ type: "text", text: "at last" }]);
    // The stream beside the calls, and one for each time that it was let go.
    expect(gets.length).toBeGreaterThanOrEqual(4);
    expect(new Set(gets)).toEqual(new Set([200]));
    expect(problems).toEqual([]);
  });

  test("comes back for the answer to another node than the one that runs the call", async () => {
    const state = { ...memoryState(), isShared: true };
    const patient = tool("patient", {}, async (_, ctx) => {
      ctx.disconnect();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return "at last";
    });
    const nodes = await Promise.all(
      [1, 2, 3].map(() => {
        const server = createServer({ name: "polling", version: "1", tools: [patient] });
        return serveHttp(server, { state, sessions: { retryMs: 20 } });
      }),
    );
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close(0)))));
    const balancer = await openBalancer(
      nodes.map(({ url }) => new URL(url).origin),
      { pick: pickInTurn() },
    );
    const { client, gets, problems } = await connect(generation, balancer.url);
    for (let call = 0; call < 3; call++)
      expect((await client.callTool({ name: "patient" })).content).toEqual([
        { type: "text", text: "at last" },
      ]);
    expect(new Set(gets)).toEqual(new Set([200]));
    expect(problems).toEqual([]);
  });

  test("does not come back again and again for a call that has failed", async () => {
    const failing = tool("failing", {}, async (_, ctx) => {
      await ctx.log("info", "about to fail");
      throw new RpcError(-32000, "failed");
    });
    const server = createServer({ name: "failing", version: "1", tools: [failing] });
    const running = await serveHttp(server, { sessions: { retryMs: 20 } });
    onTestFinished(() => running.close(0));
    const { client, gets, problems } = await connect(generation, running.url);
    await expect(client.callTool({ name: "failing" })).rejects.toMatchObject({ code: -32000 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The first generation comes back once after an error, and is told that there is no more.
    expect(gets.filter((status) => status === 204).length).toBeLessThanOrEqual(1);
    expect(gets.length).toBeLessThanOrEqual(2);
    expect(problems).toEqual([]);
  });
});
