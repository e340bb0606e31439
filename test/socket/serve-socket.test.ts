import { once } from "node:events";
import { renameSync, statSync, writeFileSync } from "node:fs";
import { connect as connectSocket, createServer as createNetServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as readAll } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ServeSocketOptions,
  type SocketServerHandle,
  serveSocket,
  socketTransport,
} from "../../src/node.ts";
import { type BusyServer, createBusyServer } from "../support/busy-server.ts";
import { failure, openClient } from "../support/open-client.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

async function serve(
  options: ServeSocketOptions,
  busy: BusyServer = createBusyServer(),
): Promise<BusyServer & { running: SocketServerHandle }> {
  const running = await serveSocket(busy.server, options);
  onTestFinished(() => running.close(0));
  return { ...busy, running };
}

function openSocket({ address }: SocketServerHandle): Socket {
  const socket =
    "path" in address
      ? connectSocket({ path: address.path, allowHalfOpen: true })
      : connectSocket({ port: address.port, host: address.host ?? "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Settles when the server has closed the connection, one way or the other. */
function untilClosed(socket: Socket): Promise<unknown> {
  return Promise.race([once(socket, "end"), once(socket, "close")]);
}

function callOf(name: string, id = 1): string {
  const params = { name, arguments: {}, _meta: alone };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

const alone = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe.skipIf(process.platform === "win32")("a unix socket", () => {
  test("serves several clients at once, each in a conversation of its own", async () => {
    const { running } = await serve({ path: join(createTemporaryFolder(), "s") });
    const target = socketTransport(running.address);
    const clients = await Promise.all(
      (["2024-11-05", "2025-11-25", "2026-07-28"] as const).map((revision) =>
        openClient(target, { revisions: [revision] }),
      ),
    );
    const results = await Promise.all(clients.map((client, n) => client.tools.call("echo", { n })));
    expect(results.map(({ content }) => content)).toEqual(
      [0, 1, 2].map((n) => [{ type: "text", text: `{"n":${n}}` }]),
    );
  });

  test("is for this user only, whatever the mask says", async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const path = join(createTemporaryFolder(), "s");
    await serve({ path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(process.umask()).toBe(0);
  });

  test("replaces the file that a dead server left", async () => {
    const path = join(createTemporaryFolder(), "s");
    await leaveSocketFile(path);
    const { running } = await serve({ path });
    const client = await openClient(socketTransport(running.address));
    await client.ping();
  });

  test("never replaces a server that is alive", async () => {
    const path = join(createTemporaryFolder(), "s");
    const { running } = await serve({ path });
    const second = await failure(serveSocket(createBusyServer().server, { path }));
    expect(second).toMatchObject({ code: "usage" });
    expect(second.message).toContain(`Another server listens at ${path}`);
    await (await openClient(socketTransport(running.address))).ping();
  });

  test("never replaces a file that is no socket", async () => {
    const path = join(createTemporaryFolder(), "s");
    writeFileSync(path, "precious");
    const refused = await failure(serveSocket(createBusyServer().server, { path }));
    expect(refused.message).toContain("is not a socket");
    expect(statSync(path).size).toBe("precious".length);
  });

  test("has to be a file", async () => {
    const refused = await failure(serveSocket(createBusyServer().server, { path: "\0abstract" }));
    expect(refused).toMatchObject({ code: "usage" });
  });

  test("is gone after close", async () => {
    const path = join(createTemporaryFolder(), "s");
    const { running } = await serve({ path });
    await running.close();
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });
});

test("calls beyond the limits are refused, and the connection goes on", async () => {
  const limits = { rules: [{ tools: ["echo"], calls: 2, by: "all" as const }] };
  const { running } = await serve({ port: 0, limits });
  const client = await openClient(socketTransport(running.address));
  await client.tools.call("echo", { text: "a" });
  await client.tools.call("echo", { text: "b" });
  const refused = failure(client.tools.call("echo", { text: "c" }));
  expect(await refused).toMatchObject({ message: "At most 2 calls in 60 s are allowed; try again in 60 s." });
  await client.ping();
});

describe("a TCP port", () => {
  test("is on this machine by default", async () => {
    const { running } = await serve({ port: 0 });
    expect(running.address).toEqual({ host: "127.0.0.1", port: expect.any(Number) });
    const client = await openClient(socketTransport(running.address));
    await client.ping();
  });

  test.each(["0.0.0.0", "::", "192.0.2.1", "example.com"])(
    "on %s needs allowRemote, and the refusal says so",
    async (host) => {
      const refused = await failure(serveSocket(createBusyServer().server, { port: 0, host }));
      expect(refused).toMatchObject({ code: "usage" });
      expect(refused.message).toContain("allowRemote");
    },
  );

  test("on every address is possible for those who say so", async () => {
    const { running } = await serve({ port: 0, host: "0.0.0.0", allowRemote: true });
    expect(running.address).toMatchObject({ host: "0.0.0.0" });
  });

  test("takes no more connections than it may", async () => {
    const { running } = await serve({ port: 0, maxConnections: 1 });
    const client = await openClient(socketTransport(running.address));
    await untilClosed(openSocket(running).resume());
    await client.ping();
  });
});

describe("what is no message", () => {
  const body = `\n${callOf("echo")}\n`;

  test.each([
    ["POST", { method: "POST", body }],
    ["a custom method", { method: "ECHO", body }],
    ["a form", { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } }],
    ["a header", { headers: { "x-call": callOf("echo") } }],
  ])("HTTP from a web page by %s runs nothing and gets no answer", async (_, request) => {
    const { running, calls, problems } = await serve({ port: 0 });
    const { port } = running.address as { port: number };
    await expect(fetch(`http://127.0.0.1:${port}/`, request)).rejects.toThrow("fetch failed");
    expect(calls).toEqual([]);
    expect(problems).toEqual([expect.stringContaining("HTTP/1.1")]);
  });

  test("TLS runs nothing and gets no answer", async () => {
    const { running, calls } = await serve({ port: 0 });
    const { port } = running.address as { port: number };
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "error");
    expect(calls).toEqual([]);
  });

  test("ends the connection, and what comes after it in one piece is not executed", async () => {
    const { running, calls } = await serve({ port: 0 });
    const socket = openSocket(running);
    socket.write(`${callOf("echo", 1)}\nHost: example.com\n${callOf("echo", 2)}\n`);
    await untilClosed(socket.resume());
    expect(calls).toEqual(["echo"]);
  });

  test("is seen before its first line ends", async () => {
    const { running } = await serve({ port: 0 });
    const socket = openSocket(running);
    socket.write("GET /");
    expect(await readAll(socket).catch(() => "")).toBe("");
  });

  test("but a message that is broken is answered, and the connection goes on", async () => {
    const { running } = await serve({ port: 0 });
    const socket = openSocket(running);
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    socket.write('\r\n {"jsonrpc":\n');
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ error: { code: -32700 } });
    socket.write(`\ufeff${ping}\r\n`);
    expect(JSON.parse((await lines.next()).value)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});

describe("limits", () => {
  test("a message over the limit fails by itself", async () => {
    const { running, calls } = await serve({ port: 0, maxMessageBytes: 10_000 });
    const client = await openClient(socketTransport(running.address));
    const refused = await failure(client.tools.call("echo", { text: "x".repeat(20_000) }));
    expect(refused.message).toContain("larger than 10000 bytes");
    await client.tools.call("echo", {});
    expect(calls).toEqual(["echo"]);
  });

  test("a client that says nothing is cut", async () => {
    const { running } = await serve({ port: 0, silentMs: 30 });
    await untilClosed(openSocket(running).resume());
  });

  test("a client that has spoken may be silent", async () => {
    const { running } = await serve({ port: 0, silentMs: 1_000 });
    const client = await openClient(socketTransport(running.address));
    const silent = openSocket(running).resume();
    await untilClosed(silent);
    await client.ping();
  });

  test("a client that reads nothing is cut, and its neighbour does not notice", async () => {
    const { running } = await serve({ port: 0, stallMs: 200 });
    const neighbour = await openClient(socketTransport(running.address));
    const stuck = openSocket(running);
    stuck.pause();
    const call = (id: number) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "large", arguments: { size: 1_000_000 }, _meta: alone },
      });
    stuck.write(`${Array.from({ length: 40 }, (_, id) => call(id)).join("\n")}\n`);
    const cut = new Promise((resolve) => stuck.once("close", resolve));
    await neighbour.tools.call("echo", {});
    // The end of a connection is seen only by who reads or writes it.
    const writing = setInterval(() => stuck.write("\n"), 50);
    onTestFinished(() => clearInterval(writing));
    await cut;
    await neighbour.tools.call("echo", {});
  });
});

describe("the end of a connection", () => {
  test("what was asked before the client closed its side is answered", async () => {
    const { running } = await serve({ port: 0 });
    const socket = openSocket(running);
    socket.end(`${callOf("echo", 1)}\n${callOf("echo", 2)}`);
    const answers = (await readAll(socket)).trimEnd().split("\n");
    expect(answers.map((line) => JSON.parse(line).id)).toEqual([1, 2]);
  });

  test("a client that is gone aborts its calls", async () => {
    const { running, hanging, aborted } = await serve({ port: 0 });
    const socket = openSocket(running);
    socket.write(`${callOf("hang")}\n`);
    await hanging;
    socket.destroy();
    await aborted;
  });

  test("close lets calls finish, and takes no more clients", async () => {
    const { running, hanging, release } = await serve({ port: 0 });
    const client = await openClient(socketTransport(running.address));
    const call = client.tools.call("hang");
    await hanging;
    const closed = running.close();
    await expect(openClient(socketTransport(running.address))).rejects.toMatchObject({
      code: "connection-closed",
    });
    release();
    expect((await call).content).toEqual([{ type: "text", text: "released" }]);
    await closed;
    await client.closed;
  });

  test("close gives up on calls that do not end", async () => {
    const { running, hanging, aborted } = await serve({ port: 0 });
    const client = await openClient(socketTransport(running.address));
    const call = failure(client.tools.call("hang"));
    await hanging;
    await running.close(0);
    expect(await call).toMatchObject({ code: "connection-closed" });
    await aborted;
  });
});

/** Leaves the file of a socket at which nobody listens, as a server does that is killed. */
async function leaveSocketFile(path: string): Promise<void> {
  const server = createNetServer();
  server.listen({ path });
  await once(server, "listening");
  renameSync(path, `${path}-kept`);
  server.close();
  await once(server, "close");
  renameSync(`${path}-kept`, path);
}
