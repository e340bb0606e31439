import { createMemoryPipe, createServer, servePipe } from "allspeak";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ConnectionClosedError, UsageError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import { RawClient } from "../support/raw-client.ts";
import { discoverServer, handshakeServer, silence } from "../support/scripted-server.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a client that pings at an interval", () => {
  it.each([
    ["ping", () => handshakeServer("2025-11-25")],
    ["server/discover", () => discoverServer()],
  ])("sends %s as long as it is open", async (method, createScripted) => {
    const server = createScripted();
    const client = await openClient(server, { ping: { everyMs: 1_000 } });
    const before = server.line.paramsOf(method).length;
    await vi.advanceTimersByTimeAsync(3_500);
    expect(server.line.paramsOf(method).length - before).toBe(3);
    await client.close();
    await vi.advanceTimersByTimeAsync(3_500);
    expect(server.line.paramsOf(method).length - before).toBe(3);
  });

  it("reports a server that does not answer, and closes the connection after several failures", async () => {
    const problems: string[] = [];
    const server = handshakeServer("2025-11-25", { script: { ping: () => silence } });
    const client = await openClient(server, {
      ping: { everyMs: 1_000, timeoutMs: 400, maxFailures: 2 },
      onProblem: ({ message }) => problems.push(message),
    });
    await vi.advanceTimersByTimeAsync(1_400);
    expect(problems).toEqual([expect.stringContaining("A ping was not answered")]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await client.closed).toBeInstanceOf(ConnectionClosedError);
    expect((await client.closed).message).toContain("2 pings in a row were not answered");
    expect((await failure(client.ping())).message).toContain("2 pings in a row");
    await server.line.closed;
  });

  it("takes an error as a sign of life", async () => {
    const onProblem = vi.fn();
    const server = handshakeServer("2025-11-25", { script: { ping: undefined as never } });
    await openClient(server, { ping: { everyMs: 1_000, maxFailures: 1 }, onProblem });
    await vi.advanceTimersByTimeAsync(5_500);
    expect(server.line.paramsOf("ping")).toHaveLength(5);
    expect(onProblem).not.toHaveBeenCalled();
  });

  it("needs an interval", async () => {
    const error = await failure(openClient(discoverServer(), { ping: { everyMs: 0 } }));
    expect(error).toBeInstanceOf(UsageError);
  });
});

describe("a server that pings at an interval", () => {
  function open(answer: () => unknown) {
    const log: unknown[] = [];
    const server = createServer({ name: "s", version: "1", log: (entry) => log.push(entry) });
    const [near, far] = createMemoryPipe();
    const connection = servePipe(server, far, { ping: { everyMs: 1_000, maxFailures: 2 } });
    const client = new RawClient(near);
    client.onRequest = answer;
    onTestFinished(() => connection.close(0));
    const pings = () => client.heard.filter(({ method }) => method === "ping").length;
    return { client, connection, pings, log };
  }

  it("does so in a session that is ready, and not before", async () => {
    const { client, pings, log } = open(() => ({}));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(pings()).toBe(0);
    await client.initialize("2025-06-18");
    await vi.advanceTimersByTimeAsync(3_000);
    expect(pings()).toBe(3);
    expect(log).toEqual([]);
  });

  it("closes the connection to a client that answers none", async () => {
    const { client, connection, log } = open(() => undefined);
    await client.initialize("2025-06-18");
    await vi.advanceTimersByTimeAsync(5_000);
    await connection.closed;
    expect(log).toHaveLength(2);
  });
});
