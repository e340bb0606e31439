import { createServer, type LogEntry } from "allspeak";
import { bearer } from "allspeak/auth";
import { createFetchHandler, memoryState, type State } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { expect, test } from "vitest";
import { toInitialize } from "../../support/http/raw-session.ts";

const failure = new Error("The settings of the store can't be read");

/** A state that fails while it is opened. */
const state: State = {
  ...memoryState(),
  isShared: true,
  get maxTaskChars(): number {
    throw failure;
  },
};

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test("a state that can't be opened fails serveHttp", async () => {
  const server = createServer({ name: "stored", version: "1" });
  await expect(serveHttp(server, { state })).rejects.toBe(failure);
});

test("a state that can't be opened leaves the port free", async () => {
  const server = createServer({ name: "stored", version: "1" });
  const first = await serveHttp(server);
  const { port } = first;
  await first.close(0);
  const auth = bearer({ issuer: "https://id.example" });
  await expect(serveHttp(server, { state, auth, port })).rejects.toBe(failure);
  const second = await serveHttp(server, { port });
  await second.close(0);
});

test("a state that can't be opened fails each request to a handler, and the log says why", async () => {
  const log: LogEntry[] = [];
  const server = createServer({ name: "stored", version: "1", log: (entry) => void log.push(entry) });
  const handle = createFetchHandler(server, { state });
  const body = JSON.stringify(toInitialize("2025-11-25"));
  for (const count of [1, 2]) {
    const request = new Request("http://localhost/mcp", { method: "POST", headers: posting, body });
    expect((await handle(request)).status).toBe(500);
    expect(log.map(({ cause }) => cause)).toEqual(Array(count).fill(failure));
  }
});

test("a state that can't be opened ends no process, before any request", async () => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", listen);
  const server = createServer({ name: "stored", version: "1" });
  await expect(serveHttp(server, { state })).rejects.toBe(failure);
  createFetchHandler(server, { state });
  await expect(serveHttp(server, { state })).rejects.toBe(failure);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", listen);
  expect(unhandled).toEqual([]);
});
