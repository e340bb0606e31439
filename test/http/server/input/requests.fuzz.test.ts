import { serveHttp } from "allspeak/node";
import { describe, expect, it } from "vitest";
import { fuzzed } from "../../../support/fuzz.ts";
import { createFixture } from "../../../support/http/fixture.ts";
import { KeepAlive } from "../../../support/http/keep-alive.ts";
import { openSession, toInitialize } from "../../../support/http/raw-session.ts";
import { RawSocket, toRequestText, toResponses } from "../../../support/http/raw-socket.ts";
import { alive, assertProper, chunk, chunked, echo, good, head, text } from "./raw-call.ts";

describe("mutated requests", () => {
  /** Numbers that can be had again: the seed stands in the name of the test. */
  function createRandom(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }

  function mutate(source: Buffer, random: (below: number) => number): Buffer {
    let bytes = Buffer.from(source);
    for (let change = random(4); change >= 0; change--) {
      const at = random(bytes.length);
      const piece = bytes.subarray(random(bytes.length), random(bytes.length));
      switch (random(5)) {
        case 0:
          bytes[at] = random(256);
          break;
        case 1:
          bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(8))]);
          break;
        case 2:
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at)]);
          break;
        case 3:
          bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
          break;
        default:
          bytes = bytes.subarray(0, at);
      }
      if (bytes.length === 0) return Buffer.from(" ");
    }
    return bytes;
  }

  const seed = Math.floor(Math.random() * 2 ** 31);
  const [whole, bodies] = [fuzzed(200, 5_000), fuzzed(800, 15_000)];

  it(`${whole} requests changed anywhere, each on a connection of its own (seed ${seed})`, async () => {
    const running = await serveHttp(createFixture().server);
    const random = createRandom(seed);
    const sources = [
      good,
      `${head}${chunked}\r\n${chunk}`,
      toRequestText({ headers: {}, body: toInitialize("2025-11-25") }),
    ];
    let next = 0;
    const visitor = async () => {
      for (let round = next++; round < whole; round = next++) {
        const bytes = mutate(Buffer.from(sources[round % sources.length] ?? "", "latin1"), random);
        const raw = new RawSocket(running.port).write(bytes);
        raw.socket.end();
        for (const response of toResponses(await raw.end())) assertProper(response);
      }
    };
    await Promise.all(Array.from({ length: 16 }, visitor));
    expect(await alive(running)).toBe(200);
    await running.close(0);
  }, 120_000);

  it(`${bodies} bodies changed, on connections that are kept (seed ${seed})`, async () => {
    const running = await serveHttp(createFixture().server, { sessions: { max: 50 } });
    const session = await openSession(running.url, "2025-03-26");
    const random = createRandom(seed);
    const inSession = session.headers as Record<string, string>;
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const call = { ...ping, method: "tools/call", params: { name: "echo", arguments: { text: "x" } } };
    const sources = [
      { headers: echo.headers, body: text },
      { headers: { "content-type": "application/json", ...inSession }, body: JSON.stringify(call) },
      { headers: { "content-type": "application/json", ...inSession }, body: JSON.stringify([ping, call]) },
      { headers: { "content-type": "application/json" }, body: JSON.stringify(toInitialize("2025-06-18")) },
    ];
    let next = 0;
    const visitor = async () => {
      let connection = await KeepAlive.open(running.port);
      for (let round = next++; round < bodies; round = next++) {
        const { headers, body } = sources[round % sources.length] ?? { headers: {}, body: "" };
        const bytes = mutate(Buffer.from(body), random);
        const start = toRequestText({ headers, body: "" }).replace(
          "Content-Length: 0",
          `Content-Length: ${bytes.length}`,
        );
        if (connection.closed) connection = await KeepAlive.open(running.port);
        const response = await connection.send(Buffer.concat([Buffer.from(start, "latin1"), bytes]));
        if (response === undefined)
          throw new Error(`The connection was closed after ${bytes.toString("latin1")}`);
        assertProper(response);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: 16 }, visitor));
    expect(await alive(running)).toBe(200);
    await running.close(0);
  }, 120_000);
});
