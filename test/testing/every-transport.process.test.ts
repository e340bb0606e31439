import { fileURLToPath } from "node:url";
import { connect, httpTransport, type Transport, websocketTransport } from "allspeak/client";
import { serveHttp, stdioTransport, websocketLimits } from "allspeak/node";
import { type FaultTarget, faults, record, replay } from "allspeak/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { failure } from "../support/open-client.ts";
import { restaurant } from "./restaurant.ts";

const program = fileURLToPath(new URL("fixtures/restaurant.mjs", import.meta.url));
let running: Awaited<ReturnType<typeof serveHttp>>;

beforeAll(async () => {
  running = await serveHttp(restaurant, { port: 0, websocket: new WebSocketServer(websocketLimits()) });
});
afterAll(() => running.close());

const transports: [kind: string, open: () => Transport][] = [
  ["stdio", () => stdioTransport({ command: process.execPath, args: [program], restart: false })],
  ["http", () => httpTransport(running.url)],
  [
    "websocket",
    () => websocketTransport(running.url.replace(/^http/, "ws"), { WebSocket: WebSocket as never }),
  ],
];

describe.each(transports)("over %s", (kind, open) => {
  test("messages can be late, swapped and answered twice, and every call still gets its own answer", async () => {
    const duplicate = ({ direction, number }: FaultTarget) => direction === "received" && number % 5 === 0;
    const storm = faults({ duplicate, delay: 0.3, delayMs: 5, reorder: 0.2, seed: 11 });
    const client = await connect(storm.transport(open()), { onProblem: () => {} });
    const dishes = Array.from({ length: 20 }, (_, length) => "x".repeat(length + 1));
    const prices = await Promise.all(dishes.map((dish) => client.tools.call("price", { dish })));
    expect(prices.map(({ structuredContent }) => structuredContent)).toEqual(
      dishes.map(({ length }) => ({ euros: length })),
    );
    expect(storm.injected.length).toBeGreaterThan(5);
    await client.close();
  });

  test("the connection can be cut, with the seed in the error", async () => {
    const storm = faults({ cut: ({ method }) => method === "tools/call", seed: 42 });
    const client = await connect(storm.transport(open()));
    const error = await failure(client.tools.call("price", { dish: "soup" }));
    expect(error.message).toMatch(/cut of message \d+ sent, tools\/call; seed 42/);
    await client.close();
  });

  test("a conversation is recorded, and is the same with the server value", async () => {
    const recording = record();
    const client = await connect(recording.transport(open()));
    await client.tools.call("price", { dish: "soup" });
    await client.close();
    expect(recording.transcript.transport.kind).toBe(kind);
    const report = await replay(recording.toText()).toServer(restaurant);
    expect(report.text).toBe("");
  });
});
