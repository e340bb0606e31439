// The WebSocket rows of the table of threats, each named after its row.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { websocketLimits } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, handshake, toFrame } from "./fixtures/frames.ts";

const megabyte = 1024 * 1024;

describe("in a process of its own", () => {
  let child: ChildProcess;
  let port: number;

  beforeAll(async () => {
    const path = fileURLToPath(new URL("./fixtures/server.mjs", import.meta.url));
    child = fork(path, { execArgv: ["--expose-gc"] });
    [{ port }] = (await once(child, "message")) as [{ port: number }];
    // What a process allocates once is not what is measured here.
    for (let n = 0; n < 20; n++) (await open()).end();
    await attack(10, 200);
    await rss();
  });
  afterAll(async () => {
    child.disconnect();
    await once(child, "exit");
  });

  test("CVE-2026-48779: 131,000 fragments of one byte on each of 50 connections are refused, in 20 MB", {
    timeout: 60_000,
  }, async () => {
    const before = await rss();
    const codes = await attack(50, 131_000);
    expect((await rss()) - before).toBeLessThanOrEqual(20 * megabyte);
    expect(codes).toEqual(Array.from({ length: 50 }, () => 1008));
  });

  test("the same, by connections that stop short of the limit and stay open", {
    timeout: 60_000,
  }, async () => {
    const { maxFragments } = websocketLimits();
    const before = await rss();
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open()));
    for (const socket of sockets) socket.write(toFragments(maxFragments - 1));
    await Promise.all(sockets.map(pong));
    expect((await rss()) - before).toBeLessThanOrEqual(20 * megabyte);
    for (const socket of sockets) socket.destroy();
  });

  test("M2: a reader that takes nothing is cut, with 200 MB offered and 32 MB kept", async () => {
    const before = await rss();
    const socket = await open();
    socket.pause();
    socket.write(toFrame(0x81, call("flood", { megabytes: 200 }, "info")));
    const cut = new Promise((resolve) => socket.once("close", resolve));
    // The end of a connection is seen only by who reads or writes it.
    const writing = setInterval(() => socket.write(toFrame(0x89, "")), 100);
    await cut;
    clearInterval(writing);
    expect((await rss()) - before).toBeLessThanOrEqual(32 * megabyte);
  });

  test("a flood of pings whose answers nobody reads is cut", { timeout: 60_000 }, async () => {
    const before = await rss();
    const socket = await open();
    socket.pause();
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => toFrame(0x89, "x".repeat(125))));
    const cut = new Promise((resolve) => socket.once("close", resolve));
    const write = (): void => void socket.write(pings, (error) => error ?? setImmediate(write));
    write();
    await cut;
    expect((await rss()) - before).toBeLessThanOrEqual(32 * megabyte);
  });

  test("a frame that announces more than it may is refused before it comes", async () => {
    const socket = await open();
    const announced = Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    socket.write(announced);
    expect(await closeCode(socket)).toBe(1009);
  });

  async function rss(): Promise<number> {
    child.send("rss");
    const [{ rss: bytes }] = (await once(child, "message")) as [{ rss: number }];
    return bytes;
  }

  /** Messages that never end, each begun on a connection of its own; what the server closes them with. */
  async function attack(connections: number, fragments: number): Promise<number[]> {
    const sockets = await Promise.all(Array.from({ length: connections }, () => open()));
    const bytes = toFragments(fragments);
    const codes = sockets.map(closeCode);
    for (const socket of sockets) socket.write(bytes);
    return Promise.all(codes);
  }

  /** A connection on which WebSocket frames can be written by hand. */
  async function open(): Promise<Socket> {
    const socket = connectSocket(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`${["GET /mcp HTTP/1.1", "Host: localhost", ...handshake].join("\r\n")}\r\n\r\n`);
    await once(socket, "readable");
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 101 /);
    return socket;
  }
});

/** The code of the close frame that the server sends. */
function closeCode(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    const seen: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => {
      seen.push(chunk);
      const bytes = Buffer.concat(seen);
      if (bytes.length >= 4 && bytes[0] === 0x88) resolve(bytes.readUInt16BE(2));
    });
  });
}

/** Settles when the server has read everything so far: it answers to a ping. */
function pong(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const mark = "the end";
    let seen = "";
    socket.on("data", (chunk: Buffer) => {
      seen = (seen + chunk.toString("latin1")).slice(-1_000);
      if (seen.includes(mark)) resolve();
    });
    socket.write(toFrame(0x89, mark));
  });
}

/** The beginning of a message that never ends, a byte at a time. */
function toFragments(count: number): Buffer {
  return Buffer.concat([toFrame(0x01, "x"), Buffer.alloc(7 * (count - 1), toFrame(0x00, "x"))]);
}
