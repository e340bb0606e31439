import { once } from "node:events";
import { MessageChannel as NodeMessageChannel, Worker as NodeWorker } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type PortLike, portTransport } from "../../src/client.ts";
import { servePort } from "../../src/index.ts";
import { createBusyServer } from "../support/busy-server.ts";
import { failure, openClient } from "../support/open-client.ts";

/** Where both ends have what the web platform has and nothing more: no events when the other end closes. */
function withoutCloseEvents(port: MessagePort): PortLike {
  return {
    postMessage: (text) => port.postMessage(text),
    addEventListener: (type, listener) => {
      if (type !== "close") port.addEventListener(type, listener);
    },
    removeEventListener: (type, listener) => port.removeEventListener(type, listener),
    start: () => port.start(),
    close: () => port.close(),
  };
}

/** A worker as its creator sees it in Node: an emitter, which can't be closed. */
function asWorker(port: MessagePort): PortLike {
  const emitter = port as unknown as NodeWorker;
  return {
    postMessage: (text) => port.postMessage(text),
    on: (type, listener) => emitter.on(type, listener),
    off: (type, listener) => emitter.off(type, listener),
  };
}

const kinds: [string, (port: MessagePort) => PortLike][] = [
  ["a port", (port) => port],
  ["a port without close events", withoutCloseEvents],
  ["a worker", asWorker],
];

function createPorts(): { near: MessagePort; far: MessagePort } {
  const { port1: near, port2: far } = new MessageChannel();
  onTestFinished(() => {
    near.close();
    far.close();
  });
  return { near, far };
}

describe.each(kinds)("%s", (_, wrap) => {
  test.each(["2024-11-05", "2025-11-25", "2026-07-28"] as const)("carries %s", async (revision) => {
    const { near, far } = createPorts();
    servePort(createBusyServer().server, wrap(far));
    const client = await openClient(portTransport(wrap(near)), { revisions: [revision] });
    expect((await client.tools.call("echo", { a: 1 })).content).toEqual([{ type: "text", text: '{"a":1}' }]);
  });

  test("tells the server when the client closes", async () => {
    const { near, far } = createPorts();
    const { server, hanging, aborted } = createBusyServer();
    const conversation = servePort(server, wrap(far));
    const client = await openClient(portTransport(wrap(near)));
    const call = failure(client.tools.call("hang", {}));
    await hanging;
    await client.close();
    expect(await call).toMatchObject({ code: "connection-closed" });
    await conversation.closed;
    await aborted;
  });

  test("tells the client when the server closes", async () => {
    const { near, far } = createPorts();
    const { server, hanging } = createBusyServer();
    const conversation = servePort(server, wrap(far));
    const client = await openClient(portTransport(wrap(near)));
    const call = failure(client.tools.call("hang", {}));
    await hanging;
    await conversation.close(0);
    expect(await call).toMatchObject({ code: "connection-closed" });
    expect(await failure(client.ping())).toMatchObject({ code: "connection-closed" });
  });
});

describe("messages", () => {
  test("are text on the port", async () => {
    const { near, far } = createPorts();
    servePort(createBusyServer().server, far);
    const answer = new Promise((resolve) => {
      near.onmessage = ({ data }) => resolve(data);
    });
    near.postMessage('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect(await answer).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
  });

  test("that are not text are skipped and reported", async () => {
    const { near, far } = createPorts();
    const { server, problems, calls } = createBusyServer();
    servePort(server, far);
    near.postMessage({ jsonrpc: "2.0", id: 1, method: "ping" });
    const client = await openClient(portTransport(near));
    await client.ping();
    expect(problems).toEqual([expect.stringContaining("not text")]);
    expect(calls).toEqual([]);
  });
});

describe("connecting", () => {
  test("a port works once, and says how to do it again", async () => {
    const { near, far } = createPorts();
    servePort(createBusyServer().server, far);
    const transport = portTransport(near);
    const client = await connect(transport);
    await client.close();
    const refused = await failure(connect(transport));
    expect(refused).toMatchObject({ code: "usage" });
    expect(refused.message).toContain("function");
  });

  test("a function gives a fresh port each time", async () => {
    const { server } = createBusyServer();
    const transport = portTransport(() => {
      const { near, far } = createPorts();
      servePort(server, far);
      return near;
    });
    for (let round = 0; round < 2; round++) {
      const client = await connect(transport);
      await client.ping();
      await client.close();
    }
  });

  test("a window is no port, because every page can post to it", async () => {
    const window = { document: {}, postMessage: () => {} };
    expect(() => servePort(createBusyServer().server, window)).toThrow("MessageChannel");
    expect(await failure(connect(portTransport(window)))).toMatchObject({ code: "usage" });
  });

  test("takes the ports of node:worker_threads", async () => {
    const { port1, port2 } = new NodeMessageChannel();
    servePort(createBusyServer().server, port2);
    const client = await connect(portTransport(port1));
    await client.ping();
    const closed = once(port2, "close");
    await client.close();
    await closed;
  });
});

describe("a worker thread", () => {
  /** Speaks MCP by hand, so that it needs no build: the wire is the test. */
  const program = `
    const { parentPort } = require("node:worker_threads");
    parentPort.on("message", (text) => {
      if (text === "") return parentPort.close();
      const { id, method } = JSON.parse(text);
      if (method === "hang") process.exit(3);
      if (id === undefined) return;
      const result = method === "initialize"
        ? { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "worker", version: "1" } }
        : {};
      parentPort.postMessage(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  `;

  function startWorker(): NodeWorker {
    const worker = new NodeWorker(program, { eval: true });
    onTestFinished(async () => void (await worker.terminate()));
    return worker;
  }

  test("is a server, and ends by itself when the client closes", async () => {
    const worker = startWorker();
    const exit = once(worker, "exit");
    const client = await connect(portTransport(worker), { revisions: ["2025-11-25"] });
    await client.ping();
    await client.close();
    expect(await exit).toEqual([0]);
  });

  test("that exits fails the calls under way", async () => {
    const client = await openClient(portTransport(startWorker()), { revisions: ["2025-11-25"] });
    expect(await failure(client.request("hang", {}))).toMatchObject({ code: "connection-closed" });
  });
});

test("a message beyond 64 MiB closes the port and is not read", async () => {
  const posted: string[] = [];
  let receive: (text: unknown) => void = () => {};
  const port: PortLike = {
    postMessage: (text) => void posted.push(text),
    on: (type, listener) => {
      if (type === "message") receive = listener;
    },
    off: () => {},
  };
  const connection = servePort(createBusyServer().server, port);
  receive(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${"x".repeat(64 * 1024 ** 2)}"}}`);
  await connection.closed;
  expect(posted).toEqual([""]);
});
