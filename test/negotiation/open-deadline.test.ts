import { afterEach, describe, expect, test, vi } from "vitest";
import { connect, type Transport } from "../../src/client.ts";
import { TimeoutError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import {
  discoverServer,
  handshakeServer,
  initialize,
  ScriptedServer,
  silence,
} from "../support/scripted-server.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("the time that opening may take", () => {
  test("covers the probe and all that follows, and the error names the option", async () => {
    vi.useFakeTimers();
    const server = new ScriptedServer({ "server/discover": () => silence, initialize: () => silence });
    const error = failure(connect(server.transport, { openTimeout: 3_000, onProblem: () => {} }));
    await vi.advanceTimersByTimeAsync(2_999);
    expect(server.line.methods()).toEqual(["server/discover", "initialize"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await error).toBeInstanceOf(TimeoutError);
    expect(await error).toMatchObject({
      message: "Connecting took longer than 3000 ms in total; raise openTimeout if it may.",
      limit: "total",
      ms: 3_000,
    });
    await server.line.closed;
    expect(server.line.methods()).toEqual(["server/discover", "initialize"]);
  });

  test("leaves some for the handshake when it is shorter than a probe", async () => {
    const server = new ScriptedServer({ "server/discover": () => silence, initialize });
    const client = await openClient(server, { openTimeout: 1_000, probeTimeout: 60_000 });
    expect(client.server.revision).toBe("2025-11-25");
  });

  test("leaves some for the handshake when the server was wrongly believed to speak the newest revision", async () => {
    const server = new ScriptedServer({ "server/discover": () => silence, initialize });
    const client = await openClient(server, { openTimeout: 1_000, hint: { revision: "2026-07-28" } });
    expect(client.server.revision).toBe("2025-11-25");
  });

  test.each([
    { openTimeout: 8_000, revision: "2025-11-25", connections: 1 },
    { openTimeout: 60_000, revision: "2026-07-28", connections: 2 },
  ])(
    "decides whether a server that answers the probe after 4 s is started again ($openTimeout)",
    async ({ openTimeout, revision, connections }) => {
      vi.useFakeTimers();
      const result = { supportedVersions: ["2026-07-28"], capabilities: {}, resultType: "complete" };
      const server = new ScriptedServer((connection) => ({
        "server/discover": () => (connection === 0 ? silence : result),
        initialize: async (params, line, message) => {
          line.send({ id: (await line.saw("server/discover")).id, result });
          return initialize(params, line, message);
        },
      }));
      const opening = connect(server.transport, { openTimeout, probeTimeout: 4_000 });
      await vi.advanceTimersByTimeAsync(4_000);
      vi.useRealTimers();
      const client = await opening;
      expect(client.server.revision).toBe(revision);
      expect(server.lines).toHaveLength(connections);
      expect(await Promise.race([client.closed, "open"])).toBe("open");
      await client.close();
    },
  );

  test("covers a channel that does not open", async () => {
    const transport: Transport = { kind: "stuck", open: () => new Promise(() => {}) };
    expect(await failure(connect(transport, { openTimeout: 30 }))).toBeInstanceOf(TimeoutError);
  });

  test("closes a channel that opens too late", async () => {
    const { transport } = discoverServer();
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    let release = () => {};
    const late: Transport = {
      kind: "late",
      async open(options) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        const channel = await transport.open(options);
        return {
          request: (...request) => channel.request(...request),
          notify: (...notification) => channel.notify(...notification),
          close: () => channel.close().then(closed),
        };
      },
    };
    expect(await failure(connect(late, { openTimeout: 30 }))).toBeInstanceOf(TimeoutError);
    release();
    await isClosed;
  });

  test("covers the confirmation of the handshake", async () => {
    const server = handshakeServer("2025-11-25");
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const deaf: Transport = {
      kind: "deaf",
      async open(options) {
        const channel = await server.transport.open(options);
        return {
          request: (...request) => channel.request(...request),
          notify: () => new Promise(() => {}),
          close: () => channel.close().then(closed),
        };
      },
    };
    const error = await failure(connect(deaf, { openTimeout: 100, probeTimeout: 10 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toContain("openTimeout");
    await isClosed;
  });

  test("may be unlimited", async () => {
    const client = await openClient(discoverServer(), { openTimeout: Number.POSITIVE_INFINITY });
    expect(client.server.revision).toBe("2026-07-28");
  });
});

function _never(): never {
  throw new Error("Not called.");
}
