import { openHttp } from "../load/open-http.ts";
import { type Wire, wires } from "../load/wire.ts";
import { hasWrk, type Shot, shoot } from "../load/wrk.ts";
import type { Figure, Report } from "../report/table.ts";
import { ServerProcess } from "../servers/server-process.ts";

const sessions = 5_000;
const together = 50;
const calls = 300_000;
/** The engine is done with a server after so many calls. */
const warmUpCalls = 30_000;
const mostSessionKilobytes = 2;
/** Less than an object of one member. */
const mostBytesLeft = 4;

/** The heap that idle sessions take, and the heap that calls leave behind. */
export async function benchMemory(): Promise<Report> {
  const each = await holdSessions();
  const left = hasWrk() ? await leftBehind() : [];
  return {
    tables: [
      {
        title: "heap of the server, after a garbage collection",
        header: ["what", "heap"],
        rows: [
          [`each of ${sessions} idle sessions, 2025-11-25`, `${each.toFixed(2)} KB`],
          ...left.map(({ revision, bytes }) => [
            `left behind by each of ${calls} calls, ${revision}`,
            `${bytes.toFixed(2)} bytes`,
          ]),
        ],
      },
    ],
    figures: [
      { what: "an idle session, heap, KB", measured: each, bound: "at most", limit: mostSessionKilobytes },
      ...left.map(
        ({ revision, bytes }): Figure => ({
          what: `left behind by a call, ${revision}, bytes`,
          measured: bytes,
          bound: "at most",
          limit: mostBytesLeft,
        }),
      ),
    ],
  };
}

/** The kilobytes of one session. */
async function holdSessions(): Promise<number> {
  const server = await ServerProcess.start("http/allspeak-memory", ["--expose-gc"]);
  const [wire] = wires as readonly [Wire];
  try {
    const open = () => openHttp(server.url, wire);
    for (let at = 0; at < together; at++) await open();
    const before = await server.memory();
    for (let at = 0; at < sessions; at += together) await Promise.all(Array.from({ length: together }, open));
    const after = await server.memory();
    return (after.heapUsed - before.heapUsed) / sessions / 1000;
  } finally {
    await server.stop();
  }
}

async function leftBehind(): Promise<{ revision: string; bytes: number }[]> {
  const left = [];
  for (const wire of wires) {
    const server = await ServerProcess.start("http/allspeak-memory", ["--expose-gc"]);
    try {
      const shot = await openHttp(server.url, wire);
      await shootCalls(shot, warmUpCalls);
      const before = await server.memory();
      const made = await shootCalls(shot, calls);
      const after = await server.memory();
      left.push({ revision: wire.revision, bytes: (after.heapUsed - before.heapUsed) / made });
    } finally {
      await server.stop();
    }
  }
  return left;
}

/** Makes at least so many calls. */
async function shootCalls(shot: Shot, least: number): Promise<number> {
  let made = 0;
  while (made < least) made += (await shoot(shot, 32, 1)).requests;
  return made;
}
