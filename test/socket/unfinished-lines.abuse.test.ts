import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ServeSocketOptions, serveSocket } from "../../src/node.ts";
import { createBusyServer } from "../support/busy-server.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const MiB = 1024 ** 2;
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

async function serve(limits: Partial<ServeSocketOptions>, server = createBusyServer().server) {
  const path = join(createTemporaryFolder(), "s");
  const running = await serveSocket(server, { ...limits, path });
  onTestFinished(() => running.close(0));
  return async () => {
    const socket = connect({ path });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
}

const write = (socket: Socket, text: string) => new Promise((resolve) => socket.write(text, resolve));

const untilClosed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

/** The id of the answer to a ping. */
async function ask(socket: Socket): Promise<unknown> {
  socket.write(ping);
  const [data] = await once(socket, "data");
  return JSON.parse(String(data)).id;
}

describe.skipIf(process.platform === "win32")("messages that never end over a socket", () => {
  test("cost the largest holder its connection, and nobody else", async () => {
    const open = await serve({ maxUnfinishedBytes: 4 * MiB });
    const honest = await open();
    await write(honest, `${ping}{"a":"`);
    const attacker = await open();
    const closed = untilClosed(attacker);
    attacker.write(`{"a":"${"x".repeat(6 * MiB)}`);
    await closed;
    await write(honest, `"}\n`);
    expect(await ask(await open())).toBe(1);
    expect(honest.closed).toBe(false);
  });

  test("make room for others once they end", async () => {
    const open = await serve({ maxUnfinishedBytes: MiB });
    const socket = await open();
    for (let n = 0; n < 4; n++) {
      const text = `{"jsonrpc":"2.0","id":${n},"method":"ping","params":{"x":"${"y".repeat(0.6 * MiB)}"}}\n`;
      await write(socket, text.slice(0, 0.5 * MiB));
      const answered = once(socket, "data");
      await write(socket, text.slice(0.5 * MiB));
      expect(JSON.parse(String((await answered)[0])).id).toBe(n);
    }
    expect(await ask(await open())).toBe(1);
  });

  test("end their connection after the time for a message, whether they are within the limit or not", async () => {
    const open = await serve({ messageMs: 100, maxMessageBytes: 1_000 });
    const idle = await open();
    expect(await ask(idle)).toBe(1);
    for (const length of [10, 5_000]) {
      const stalled = await open();
      await ask(stalled);
      const closed = untilClosed(stalled);
      stalled.write(`{"a":"${"x".repeat(length)}`);
      await closed;
    }
    expect(await ask(idle)).toBe(1);
  });
});
