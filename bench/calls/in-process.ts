import { Client as ClientV2, InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as ServerV2 } from "@modelcontextprotocol/server";
import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { z } from "zod";
import { echoed } from "../load/wire.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import { formatNumber, type Report } from "../report/table.ts";

interface Pair {
  readonly name: string;
  call(text: string): Promise<unknown>;
  close(): Promise<void>;
}

const info = { name: "echo", version: "1.0.0" };
const input = z.object({ text: z.string() });
const loads = [
  { name: "one at a time", inFlight: 1 },
  { name: "64 in flight", inFlight: 64 },
];
const rounds = 9;
const loadMs = 150;

/** A client and a server in one process. Ours passes text between them, the official ones pass objects. */
export async function benchInProcess(): Promise<Report> {
  const pairs = [await ours("2025-11-25"), await ours("2026-07-28"), await sdkV1(), await sdkV2()];
  for (const { name, call } of pairs) {
    const result = JSON.stringify(await call(echoed));
    if (!result.includes(echoed)) throw new Error(`Unexpected result of ${name}: ${result}`);
  }
  const runs = loads.flatMap(({ inFlight }) =>
    pairs.map(
      ({ call }) =>
        () =>
          load(call, inFlight),
    ),
  );
  const measured = await measureInRounds(rounds, runs);
  await Promise.all(pairs.map((pair) => pair.close()));

  const ratesOf = (load: number, at: number) => measured[load * pairs.length + at] ?? [];
  const best = (load: number) => ratesOf(load, 2);
  return {
    tables: [
      {
        title: "tools/call in one process",
        header: ["client and server", ...loads.flatMap(({ name }) => [`${name}, calls/s`, "times SDK 1"])],
        rows: pairs.map(({ name }, at) => [
          name,
          ...loads.flatMap((_, load) => [
            formatNumber(median(ratesOf(load, at))),
            formatNumber(medianRatio(ratesOf(load, at), best(load))),
          ]),
        ]),
      },
    ],
    figures: [],
  };
}

async function load(call: Pair["call"], inFlight: number): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const caller = async () => {
    while (performance.now() - startedAt < loadMs) {
      await call(echoed);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return (calls / (performance.now() - startedAt)) * 1000;
}

async function ours(revision: "2025-11-25" | "2026-07-28"): Promise<Pair> {
  const echo = tool("echo", { input }, ({ text }) => text);
  const server = createServer({ ...info, tools: [echo] });
  const client = await connect<typeof server>(server, { revisions: [revision] });
  return {
    name: `allspeak, ${revision}`,
    call: (text) => client.tools.call("echo", { text }),
    close: () => client.close(),
  };
}

async function sdkV1(): Promise<Pair> {
  const server = new ServerV1(info);
  server.registerTool("echo", { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  const client = new ClientV1(info);
  const [near, far] = MemoryV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    name: "official SDK 1",
    call: (text) => client.callTool({ name: "echo", arguments: { text } }),
    close: () => client.close(),
  };
}

async function sdkV2(): Promise<Pair> {
  const server = new ServerV2(info);
  server.registerTool("echo", { inputSchema: input }, ({ text }) => ({ content: [{ type: "text", text }] }));
  const client = new ClientV2(info);
  const [near, far] = MemoryV2.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    name: "official SDK 2",
    call: (text) => client.callTool({ name: "echo", arguments: { text } }),
    close: () => client.close(),
  };
}
