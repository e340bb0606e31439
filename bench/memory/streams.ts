import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openStream } from "../load/open-stream.ts";
import { type Figure, formatNumber, type Report, type Table } from "../report/table.ts";
import { ServerProcess } from "../servers/server-process.ts";

/** How many streams each is given; the official one refuses more. */
const contenders = [
  { name: "bare", server: "streams/bare", streams: 10_000 },
  { name: "allspeak", server: "streams/allspeak", streams: 10_000 },
  { name: "official SDK 2", server: "streams/sdk-v2", streams: 1_000 },
];
const together = 100;
const settleMs = 500;
const mostHeapKilobytes = 8;
const mostGrowthMegabytes = 32;

/** What streams cost that nobody writes to, and a stream that nobody reads. */
export async function benchStreams(): Promise<Report> {
  const idle = [];
  for (const { name, server, streams } of contenders)
    idle.push({ name, ...(await holdIdle(server, streams)) });
  const slow = [];
  for (const { name, server } of contenders) slow.push({ name, ...(await floodReader(server)) });
  return { tables: [toIdleTable(idle), toSlowTable(slow)], figures: toFigures(idle, slow) };
}

interface Idle {
  readonly streams: number;
  readonly heapKilobytes: number;
  readonly residentKilobytes: number;
}

/** Opens streams of `subscriptions/listen`, and looks what each adds. */
async function holdIdle(name: string, streams: number): Promise<Idle> {
  const server = await ServerProcess.start(name, ["--expose-gc"]);
  const sockets: Socket[] = [];
  try {
    const open = () =>
      openStream(server.url, "subscriptions/listen", { notifications: { toolsListChanged: true } });
    // What is loaded and compiled for the first of them is not counted.
    for (let at = 0; at < together; at++) sockets.push(await open());
    const before = await server.memory();
    while (sockets.length < streams)
      sockets.push(...(await Promise.all(Array.from({ length: together }, open))));
    await delay(settleMs);
    const after = await server.memory();
    const counted = streams - together;
    return {
      streams,
      heapKilobytes: (after.heapUsed - before.heapUsed) / counted / 1000,
      residentKilobytes: (after.rss - before.rss) / counted / 1000,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}

interface Slow {
  readonly growthMegabytes: number;
}

/** Calls a tool that says 200 MB and waits for nobody, and reads nothing of it. */
async function floodReader(name: string): Promise<Slow> {
  const server = await ServerProcess.start(name, ["--expose-gc"]);
  try {
    const before = await server.memory();
    const offered = server.told("offered");
    const socket = await openStream(server.url, "tools/call", { name: "talk", arguments: {} }, "talk");
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, server.residentBytes);
    }, 20);
    await offered;
    clearInterval(timer);
    socket.destroy();
    return { growthMegabytes: (Math.max(peak, server.residentBytes) - before.rss) / 1e6 };
  } finally {
    await server.stop();
  }
}

function toIdleTable(idle: readonly (Idle & { readonly name: string })[]): Table {
  return {
    title: "idle streams of subscriptions/listen, 2026-07-28",
    header: ["server", "streams", "heap each, KB", "resident each, KB"],
    rows: idle.map(({ name, streams, heapKilobytes, residentKilobytes }) => [
      name,
      formatNumber(streams),
      heapKilobytes.toFixed(1),
      residentKilobytes.toFixed(1),
    ]),
  };
}

function toSlowTable(slow: readonly (Slow & { readonly name: string })[]): Table {
  return {
    title: "a reader that takes nothing of 200 MB, which are said without waiting for it",
    header: ["server", "resident memory grew by, MB"],
    rows: slow.map(({ name, growthMegabytes }) => [name, growthMegabytes.toFixed(0)]),
  };
}

function toFigures(
  idle: readonly (Idle & { readonly name: string })[],
  slow: readonly (Slow & { readonly name: string })[],
): Figure[] {
  const ours = <T extends { readonly name: string }>(all: readonly T[]) =>
    all.find(({ name }) => name === "allspeak");
  return [
    {
      what: "10,000 idle streams, heap each, KB",
      measured: ours(idle)?.heapKilobytes ?? Number.NaN,
      bound: "at most",
      limit: mostHeapKilobytes,
    },
    {
      what: "a slow reader offered 200 MB, growth, MB",
      measured: ours(slow)?.growthMegabytes ?? Number.NaN,
      bound: "at most",
      limit: mostGrowthMegabytes,
    },
  ];
}
