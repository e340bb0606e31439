import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { connect, type Transport } from "../../src/client.ts";
import {
  CapabilityError,
  InvalidResponseError,
  RpcError,
  TimeoutError,
  UnsupportedRevisionError,
} from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import {
  type Answer,
  discoverServer,
  everyCapability,
  handshakeServer,
  initialize,
  ScriptedServer,
  silence,
} from "../support/scripted-server.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";

afterEach(() => {
  vi.useRealTimers();
});

describe("opening a conversation", () => {
  test("a server that answers server/discover is spoken to without a handshake", async () => {
    const server = discoverServer();
    const client = await openClient(server, {
      info: { name: "host", version: "3" },
      sample: async () => never(),
    });
    expect(client.server).toEqual({
      info: { name: "scripted", version: "1" },
      capabilities: everyCapability,
      instructions: "Follow the script.",
      revision: "2026-07-28",
    });
    expect(client.hint).toEqual({ revision: "2026-07-28" });
    expect(server.line.methods()).toEqual(["server/discover"]);
    expect(server.line.paramsOf("server/discover")).toEqual([
      {
        _meta: {
          [versionKey]: "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "host", version: "3" },
          "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        },
      },
    ]);
  });

  test("a server that names itself in the body of server/discover is understood", async () => {
    const server = new ScriptedServer({
      "server/discover": () => ({
        supportedVersions: ["2026-07-28"],
        capabilities: {},
        serverInfo: { name: "early", version: "0" },
      }),
    });
    expect((await openClient(server)).server.info).toEqual({ name: "early", version: "0" });
  });

  test("a discovered server that has only handshake revisions in common gets initialize", async () => {
    const server = new ScriptedServer({
      "server/discover": () => ({ supportedVersions: ["2025-06-18", "2030-01-01"], capabilities: {} }),
      initialize,
    });
    const client = await openClient(server);
    expect(client.server.revision).toBe("2025-06-18");
    expect(server.line.methods()).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  });

  test.each<[string, Answer]>([
    ["-32601", () => refuse(-32601)],
    ["-32602", () => refuse(-32602)],
    ["-32600", () => refuse(-32600)],
    ["-32000", () => refuse(-32000)],
    ["-32022 without saying what it supports", () => refuse(-32022)],
    ["a result without versions", () => ({ tools: [] })],
    ["an unfinished result", () => ({ resultType: "input_required", supportedVersions: ["2026-07-28"] })],
    ["a result that is no object", (_, line, { id }) => sendRaw(line, { id, result: "what?" })],
    ["neither result nor error", (_, line, { id }) => sendRaw(line, { id })],
    [
      "an error without a usable id",
      (_, line) => sendRaw(line, { id: null, error: { code: -32600, message: "?" } }),
    ],
    ["silence", () => silence],
    ["text that is no message", (_, line) => sendRaw(line, "unknown method: server/discover")],
  ])(
    "a server that answers server/discover with %s gets initialize on the same channel",
    async (_, answer) => {
      const server = new ScriptedServer({ "server/discover": answer, initialize });
      const client = await openClient(server, { onProblem: () => {} });
      expect(client.server.revision).toBe("2025-11-25");
      expect(server.lines.length).toBe(1);
      expect(server.line.methods()).toEqual(["server/discover", "initialize", "notifications/initialized"]);
    },
  );

  test("a server that dies of server/discover is started again and gets initialize", async () => {
    const server = new ScriptedServer((connection) => ({
      "server/discover": async (_, line) => {
        await line.close();
        return silence;
      },
      ...(connection > 0 && { initialize }),
    }));
    const client = await openClient(server);
    expect(client.server.revision).toBe("2025-11-25");
    expect(server.lines.map((line) => line.methods())).toEqual([
      ["server/discover"],
      ["initialize", "notifications/initialized"],
    ]);
    let isClosed = false;
    void client.closed.then(() => {
      isClosed = true;
    });
    await client.ping().catch(() => {});
    expect(isClosed).toBe(false);
  });

  test("an answer to the probe that comes too late is dropped without a word", async () => {
    const problems: Error[] = [];
    const server = new ScriptedServer({
      "server/discover": () => silence,
      initialize,
      ping: (_, line) => {
        line.send({ id: 1, result: { supportedVersions: ["2026-07-28"], capabilities: {} } });
        return {};
      },
    });
    const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
    await client.ping();
    expect(client.server.revision).toBe("2025-11-25");
    expect(problems).toEqual([]);
  });

  const newest = { supportedVersions: ["2026-07-28"], capabilities: everyCapability };

  test("an answer to the probe that comes before that of initialize counts, on a connection without initialize", async () => {
    const server = new ScriptedServer((connection) => ({
      "server/discover": () => (connection === 0 ? silence : newest),
      initialize: (_, line) => sendRaw(line, { id: 1, result: newest }),
      "tools/call": () => ({ content: [] }),
    }));
    const client = await openClient(server);
    expect(await client.tools.call("t")).toMatchObject({ content: [] });
    expect(client.server.revision).toBe("2026-07-28");
    expect(server.lines.map((line) => line.methods())).toEqual([
      ["server/discover", "initialize"],
      ["server/discover", "tools/call"],
    ]);
    await server.lines[0]?.closed;
  });

  test.each([
    ["before initialize is answered", false],
    ["though initialize is answered, too", true],
  ])("a second process is started only when the first has ended, %s", async (_, isAnswered) => {
    const server = new ScriptedServer((connection) => ({
      "server/discover": () => (connection === 0 ? silence : newest),
      initialize: (params, line) => {
        sendRaw(line, { id: 1, result: newest });
        return isAnswered ? initialize(params, line, undefined) : silence;
      },
    }));
    const events: string[] = [];
    const transport: Transport = {
      kind: "program",
      async open(options) {
        const channel = await server.transport.open(options);
        const number = server.lines.length;
        events.push(`open ${number}`);
        return {
          request: (...request) => channel.request(...request),
          notify: (...notification) => channel.notify(...notification),
          close: async () => {
            await channel.close();
            events.push(`closed ${number}`);
          },
        };
      },
    };
    const client = await connect(transport, { probeTimeout: 50 });
    onTestFinished(() => client.close());
    expect(client.server.revision).toBe("2026-07-28");
    expect(events).toEqual(["open 1", "closed 1", "open 2"]);
  });

  test("a late answer to the probe that names only handshake revisions leaves initialize its turn", async () => {
    const server = new ScriptedServer({
      "server/discover": () => silence,
      initialize: (params, line) => {
        line.send({ id: 1, result: { supportedVersions: ["2025-06-18"], capabilities: {} } });
        return initialize(params, line, undefined);
      },
    });
    expect((await openClient(server)).server.revision).toBe("2025-11-25");
    expect(server.lines).toHaveLength(1);
  });

  test.each([
    ["an error", { id: 1, error: { code: -32601, message: "?" } }],
    ["an error without an id", { id: null, error: { code: -32601, message: "?" } }],
  ])("%s in late answer to the probe leaves initialize its turn", async (_, late) => {
    const server = new ScriptedServer({
      "server/discover": () => silence,
      initialize: (params, line) => {
        line.send(late);
        return initialize(params, line, undefined);
      },
    });
    expect((await openClient(server)).server.revision).toBe("2025-11-25");
    expect(server.line.methods()).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  });

  test("a program that was started and has said nothing yet is given more time", async () => {
    vi.useFakeTimers();
    let start = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const server = new ScriptedServer({ "server/discover": () => silence, initialize });
    const transport: Transport = {
      kind: "program",
      async open(options) {
        const channel = await server.transport.open(options);
        return {
          started,
          request: (...request) => channel.request(...request),
          notify: (...notification) => channel.notify(...notification),
          close: () => channel.close(),
        };
      },
    };
    const connecting = openClient(transport, { probeTimeout: 1_000 });
    await vi.advanceTimersByTimeAsync(3_900);
    expect(server.line.methods()).toEqual(["server/discover"]);
    start();
    await vi.advanceTimersByTimeAsync(900);
    expect(server.line.methods()).toEqual(["server/discover"]);
    await vi.advanceTimersByTimeAsync(100);
    expect((await connecting).server.revision).toBe("2025-11-25");
  });

  test("a server that was only slow to start is asked again when it refuses initialize", async () => {
    let probes = 0;
    const server = new ScriptedServer({
      "server/discover": () =>
        probes++ === 0 ? silence : { supportedVersions: ["2026-07-28"], capabilities: {} },
    });
    const client = await openClient(server);
    expect(client.server.revision).toBe("2026-07-28");
    expect(server.line.methods()).toEqual(["server/discover", "initialize", "server/discover"]);
  });

  test("-32022 with supported versions is answered with one of them", async () => {
    let refused = false;
    const server = new ScriptedServer({
      "server/discover": () => {
        if (refused) return { supportedVersions: ["2026-07-28"], capabilities: {} };
        refused = true;
        return refuse(-32022, { supported: ["2026-07-28"], requested: "2026-07-28" });
      },
    });
    expect((await openClient(server)).server.revision).toBe("2026-07-28");
    expect(server.line.methods()).toEqual(["server/discover", "server/discover"]);
  });

  test("-32022 that supports only handshake revisions leads to initialize with one of them", async () => {
    const server = new ScriptedServer({
      "server/discover": () => refuse(-32022, { supported: ["2025-03-26", "2024-11-05"] }),
      initialize,
    });
    expect((await openClient(server)).server.revision).toBe("2025-03-26");
    expect(server.line.paramsOf("initialize")[0].protocolVersion).toBe("2025-03-26");
  });

  test("-32022 with nothing in common ends the attempt and names both sides' revisions", async () => {
    const server = new ScriptedServer({
      "server/discover": () => refuse(-32022, { supported: ["2030-01-01"] }),
      initialize,
    });
    const error = await failure(openClient(server, { revisions: ["2026-07-28", "2025-11-25"] }));
    expect(error).toBeInstanceOf(UnsupportedRevisionError);
    expect(error).toMatchObject({ supported: ["2030-01-01"], requested: "2026-07-28 or 2025-11-25" });
    expect(server.line.methods()).toEqual(["server/discover"]);
    await server.line.closed;
  });

  test("a server that misses a client capability is a typed error, not a reason for initialize", async () => {
    const server = new ScriptedServer({
      "server/discover": () => refuse(-32021, { requiredCapabilities: { sampling: {} } }),
      initialize,
    });
    const error = await failure(openClient(server));
    expect(error).toBeInstanceOf(CapabilityError);
    expect(error).toMatchObject({ capability: "sampling", lackedBy: "client" });
    await server.line.closed;
  });

  test("a server that knows the newest revision and still refuses is not asked in another", async () => {
    const server = new ScriptedServer({ "server/discover": () => refuse(-32020), initialize });
    expect(await failure(openClient(server))).toMatchObject({ code: "rpc", wireCode: -32020 });
    expect(server.line.methods()).toEqual(["server/discover"]);
  });

  test("a server that keeps contradicting itself is left alone", async () => {
    const server = new ScriptedServer({
      "server/discover": () => refuse(-32022, { supported: ["2025-11-25"] }),
      initialize: () => refuse(-32022, { supported: ["2026-07-28"] }),
    });
    const error = await failure(openClient(server));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(server.line.received.length).toBeLessThan(10);
    await server.line.closed;
  });

  test("a client of the newest revision only never falls back", async () => {
    const server = new ScriptedServer({
      "server/discover": () => {
        throw new RpcError(-32603, "the database is down");
      },
      initialize,
    });
    const error = await failure(openClient(server, { revisions: ["2026-07-28"] }));
    expect(error).toBeInstanceOf(UnsupportedRevisionError);
    expect(error.cause).toBeInstanceOf(RpcError);
    expect(error.message).toBe(
      "No common protocol revision: asked for 2026-07-28, the peer answered: the database is down",
    );
    expect(server.line.methods()).toEqual(["server/discover"]);
  });

  test("a client that has nothing to fall back to is patient with its probe", async () => {
    const server = new ScriptedServer({ "server/discover": () => silence });
    const error = await failure(
      openClient(server, { revisions: ["2026-07-28"], probeTimeout: 60_000, openTimeout: 30 }),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ limit: "total", ms: 30 });
  });
});

describe("the handshake", () => {
  test("a client without newer revisions opens with initialize at once", async () => {
    const server = handshakeServer("2024-11-05");
    const client = await openClient(server, { revisions: ["2024-11-05", "2025-03-26"] });
    expect(client.server.revision).toBe("2024-11-05");
    expect(server.line.paramsOf("initialize")).toEqual([
      {
        protocolVersion: "2025-03-26",
        capabilities: {},
        clientInfo: { name: "allspeak", version: expect.any(String) },
      },
    ]);
    expect(server.line.methods()).toEqual(["initialize", "notifications/initialized"]);
  });

  test("a version that the client does not speak ends the connection with a typed error", async () => {
    const server = handshakeServer("2024-10-07");
    const error = await failure(openClient(server));
    expect(error).toBeInstanceOf(UnsupportedRevisionError);
    expect(error).toMatchObject({ supported: ["2024-10-07"] });
    await server.line.closed;
    expect(server.line.methods()).not.toContain("notifications/initialized");
  });

  test("a version that the client was told not to speak ends it too", async () => {
    const server = handshakeServer("2024-11-05");
    expect(await failure(openClient(server, { revisions: ["2025-11-25"] }))).toBeInstanceOf(
      UnsupportedRevisionError,
    );
  });

  test.each([-32602, -32022])("a refusal with %i that names versions is tried once more", async (code) => {
    const server = new ScriptedServer({
      initialize: (params, line) =>
        params.protocolVersion === "2025-03-26"
          ? initialize(params, line, undefined)
          : refuse(code, { supported: ["2025-03-26", "2024-11-05"], requested: params.protocolVersion }),
    });
    const client = await openClient(server, { revisions: ["2025-11-25", "2025-03-26"] });
    expect(client.server.revision).toBe("2025-03-26");
  });

  test("a refusal that names only the version that was refused is final", async () => {
    const server = new ScriptedServer({
      initialize: () => refuse(-32602, { supported: ["2025-11-25"] }),
    });
    expect(await failure(openClient(server, { revisions: ["2025-11-25"] }))).toBeInstanceOf(
      UnsupportedRevisionError,
    );
    expect(server.line.methods()).toEqual(["initialize"]);
  });

  test("a refusal without versions is what connect rejects with", async () => {
    const server = new ScriptedServer({ initialize: () => refuse(-32000) });
    const error = await failure(openClient(server));
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ wireCode: -32000 });
    await server.line.closed;
  });

  test("a server that never answers initialize is a timeout, and initialize is not cancelled", async () => {
    const server = new ScriptedServer({ initialize: () => silence });
    const error = await failure(openClient(server, { revisions: ["2025-11-25"], openTimeout: 30 }));
    expect(error).toBeInstanceOf(TimeoutError);
    await server.line.closed;
    expect(server.line.methods()).toEqual(["initialize"]);
  });

  test("an answer without a version is refused", async () => {
    const server = new ScriptedServer({ initialize: () => ({ capabilities: {} }) });
    expect(await failure(openClient(server))).toBeInstanceOf(InvalidResponseError);
  });

  test("a server that leaves out its capabilities has none", async () => {
    const server = new ScriptedServer({ initialize: () => ({ protocolVersion: "2025-11-25" }) });
    const client = await openClient(server);
    expect(client.server).toMatchObject({ capabilities: {}, info: undefined });
  });

  test("before initialization is complete the server may ping, and ask nothing else", async () => {
    const replies: unknown[] = [];
    const server = new ScriptedServer({
      initialize: async (params, line) => {
        replies.push(await line.ask("a", "ping"), await line.ask("b", "roots/list"));
        return initialize(params, line, undefined);
      },
    });
    const client = await openClient(server, { roots: ["file:///home"], revisions: ["2025-11-25"] });
    expect(replies).toMatchObject([{ result: {} }, { error: { code: -32600 } }]);
    expect(await server.line.ask("c", "roots/list")).toMatchObject({
      result: { roots: [{ uri: "file:///home" }] },
    });
    expect(client.server.revision).toBe("2025-11-25");
  });
});

describe("a verdict", () => {
  test("of a handshake revision saves the probe", async () => {
    const server = handshakeServer("2025-06-18");
    const client = await openClient(server, { hint: { revision: "2025-06-18" } });
    expect(server.line.methods()).toEqual(["initialize", "notifications/initialized"]);
    expect(server.line.paramsOf("initialize")[0].protocolVersion).toBe("2025-06-18");
    expect(client.hint).toEqual({ revision: "2025-06-18" });
  });

  test("survives JSON", async () => {
    const first = await openClient(handshakeServer("2025-06-18"));
    const server = handshakeServer("2025-06-18");
    await openClient(server, { hint: JSON.parse(JSON.stringify(first.hint)) });
    expect(server.line.methods()[0]).toBe("initialize");
  });

  test("that turns out wrong is forgotten, on a fresh channel", async () => {
    const server = discoverServer();
    const client = await openClient(server, { hint: { revision: "2025-11-25" } });
    expect(client.server.revision).toBe("2026-07-28");
    expect(server.lines.map((line) => line.methods())).toEqual([["initialize"], ["server/discover"]]);
    await server.lines[0]?.closed;
  });

  test("for the newest revision gives a slow server more time than a probe", async () => {
    vi.useFakeTimers();
    const server = new ScriptedServer({ "server/discover": () => silence, initialize });
    const opening = openClient(server, { hint: { revision: "2026-07-28" }, probeTimeout: 2_500 });
    await vi.advanceTimersByTimeAsync(29_000);
    const { id } = await server.line.saw("server/discover");
    server.line.send({ id, result: { supportedVersions: ["2026-07-28"], capabilities: {} } });
    expect((await opening).server.revision).toBe("2026-07-28");
  });

  test("for the newest revision that turns out wrong leads to initialize", async () => {
    const server = handshakeServer("2025-11-25");
    const client = await openClient(server, { hint: { revision: "2026-07-28" } });
    expect(client.server.revision).toBe("2025-11-25");
  });

  test.each(["1999-01-01", "2024-11-05"])("for %s, which may not be spoken, is ignored", async (revision) => {
    const server = discoverServer();
    const client = await openClient(server, { hint: { revision }, revisions: ["2026-07-28"] });
    expect(client.server.revision).toBe("2026-07-28");
    expect(server.lines.length).toBe(1);
  });
});

function refuse(code: number, data?: unknown): never {
  throw new RpcError(code, "No.", data);
}

function sendRaw(line: { send(message: unknown): void }, message: unknown): typeof silence {
  line.send(message);
  return silence;
}

function never(): never {
  throw new Error("Not called.");
}
