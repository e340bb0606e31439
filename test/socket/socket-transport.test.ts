import { once } from "node:events";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client.ts";
import { socketTransport } from "../../src/node.ts";
import { failure, openClient } from "../support/open-client.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

type Answer = (line: string, socket: Socket) => void;

/** A server that the test plays. */
async function play(onLine: Answer): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createNetServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    createInterface({ input: socket }).on("line", (line) => onLine(line, socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

const initializeOnly: Answer = (line, socket) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "hang") return;
  const serverInfo = { name: "played", version: "1" };
  const result =
    method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {}, serverInfo } : {};
  socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
};

describe("connecting", () => {
  test("where nobody listens is an error that says where", async () => {
    const path = join(createTemporaryFolder(), "nobody");
    const refused = await failure(connect(socketTransport({ path })));
    expect(refused).toMatchObject({ code: "connection-closed", cause: { code: "ENOENT" } });
    expect(refused.message).toContain(path);
  });

  test("can be cancelled", async () => {
    const { port } = await play(() => {});
    const controller = new AbortController();
    const connecting = failure(connect(socketTransport({ port }), { signal: controller.signal }));
    controller.abort();
    expect(await connecting).toMatchObject({ code: "cancelled" });
  });
});

describe("a server that misbehaves", () => {
  test("may write other things between its messages, which are reported", async () => {
    const { port, sockets } = await play(initializeOnly);
    const problems: Error[] = [];
    const client = await openClient(socketTransport({ port }), {
      revisions: ["2025-11-25"],
      onProblem: (problem) => problems.push(problem),
    });
    sockets[0]?.write("hello\n\xff\n");
    await client.ping();
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("hello"),
      expect.stringContaining("not a message"),
    ]);
  });

  test.each([
    ["closes", (socket: Socket) => void socket.end()],
    ["resets", (socket: Socket) => void socket.resetAndDestroy()],
  ])("and %s the connection fails the calls under way", async (_, end) => {
    const { port, sockets } = await play(initializeOnly);
    const client = await openClient(socketTransport({ port }), { revisions: ["2025-11-25"] });
    const call = failure(client.request("hang", {}));
    await client.ping();
    end(sockets[0] as Socket);
    expect(await call).toMatchObject({ code: "connection-closed" });
    expect(await failure(client.ping())).toMatchObject({ code: "connection-closed" });
  });
});
