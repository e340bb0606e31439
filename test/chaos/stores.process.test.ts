import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasStore, startStore, storeNames } from "../support/chaos/stores/start-store.ts";
import { TcpProxy } from "../support/chaos/stores/tcp-proxy.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

async function openRedis(port: number): Promise<Socket> {
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function ask(socket: Socket, command: string): Promise<string> {
  socket.write(`${command}\r\n`);
  const [chunk] = await once(socket, "data");
  return String(chunk);
}

describe.each(storeNames)("a store of the test's own, %s,", (name) => {
  it.runIf(hasStore(name))("comes back on the same port after kill -9", async () => {
    const store = await startStore(name, createTemporaryFolder());
    onTestFinished(() => store.kill());
    await store.restart();
    const socket = createConnection(store.port, "127.0.0.1");
    await once(socket, "connect");
    socket.destroy();
  });
});

describe.runIf(hasStore("redis"))("the way to a store", () => {
  async function openProxied() {
    const store = await startStore("redis", createTemporaryFolder());
    const proxy = new TcpProxy(store.port);
    await proxy.open();
    onTestFinished(async () => {
      await proxy.close();
      await store.kill();
    });
    return { store, proxy };
  }

  it("keeps what redis acknowledged over kill -9", async () => {
    const { store, proxy } = await openProxied();
    expect(await ask(await openRedis(proxy.port), "SET a 1")).toBe("+OK\r\n");
    await store.restart();
    expect(await ask(await openRedis(proxy.port), "GET a")).toBe("$1\r\n1\r\n");
  });

  it("breaks in the middle of a command, which then has no effect", async () => {
    const { proxy } = await openProxied();
    const socket = await openRedis(proxy.port);
    proxy.cutMidCommand(5);
    socket.write("SET b 1\r\n");
    await once(socket, "close");
    expect(await ask(await openRedis(proxy.port), "EXISTS b")).toBe(":0\r\n");
  });

  it("leads nowhere until it is healed", async () => {
    const { proxy } = await openProxied();
    const socket = await openRedis(proxy.port);
    proxy.blackHole();
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    socket.write("PING\r\n");
    // A connection beside it shows that the store had time to answer.
    const beside = new TcpProxy(proxy.target);
    await beside.open();
    onTestFinished(() => beside.close());
    expect(await ask(await openRedis(beside.port), "PING")).toBe("+PONG\r\n");
    expect(answer).toBe("");
    const closed = once(socket, "close");
    proxy.heal();
    await closed;
    expect(await ask(await openRedis(proxy.port), "PING")).toBe("+PONG\r\n");
  });

  it("takes its time when it is slow, and keeps the order", async () => {
    const { proxy } = await openProxied();
    const socket = await openRedis(proxy.port);
    proxy.delay(50);
    const startedAt = performance.now();
    expect(await ask(socket, "PING")).toBe("+PONG\r\n");
    // Timers may fire a little early.
    expect(performance.now() - startedAt).toBeGreaterThan(90);
  });
});
