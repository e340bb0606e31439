import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { createInterface } from "node:readline";
import type { Pipe, Server } from "allspeak";
import { describe, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { RawClient } from "../support/raw-client.ts";
import { openPort, serveUnixSocket, serveWebSocket } from "./in-process.ts";
import { childCommand } from "./matrix.ts";
import { type OpenRaw, openMemory } from "./raw-memory.ts";
import { type FixtureName, loadServer } from "./servers/load.ts";

/** The transports that are two-way pipes of messages; HTTP has tests of its own wire. */
const pipeNames = ["memory", "unix socket", "websocket", "port", "stdio"] as const;
type PipeName = (typeof pipeNames)[number];

/** Defines the same cases for every pipe, on the wire itself: for what framing and the end of a pipe can change. */
export function describeRaw(
  name: string,
  define: (open: OpenRaw) => void,
  fixture: FixtureName = "full",
): void {
  describe(name, () => {
    for (const transport of pipeNames) {
      describe(`over ${transport}`, () => define(() => openRaw(fixture, transport)));
    }
  });
}

async function openRaw(fixture: FixtureName, transport: PipeName): Promise<RawClient> {
  const raw = new RawClient(await openPipe(fixture, transport));
  onTestFinished(() => raw.close());
  return raw;
}

async function openPipe(fixture: FixtureName, transport: PipeName): Promise<Pipe> {
  if (transport === "stdio") return openChild(fixture);
  const server = await loadServer(fixture);
  switch (transport) {
    case "memory":
      return openMemory(server);
    case "unix socket":
      return openSocket(await serveUnixSocket(server));
    case "websocket":
      return openWebSocket(await serveWebSocket(server));
    case "port":
      return openMessagePort(server);
  }
}

function openSocket(path: string): Pipe {
  const socket = connectSocket(path);
  return {
    kind: "socket",
    start: (sink) => {
      createInterface({ input: socket }).on("line", (line) => sink.onText(line));
    },
    write: (text) => {
      socket.write(`${text}\n`);
    },
    close: async () => void socket.destroy(),
  };
}

async function openWebSocket(url: string): Promise<Pipe> {
  const socket = new WebSocket(url, "mcp");
  await once(socket, "open");
  return {
    kind: "websocket",
    start: (sink) => {
      socket.on("message", (data) => sink.onText(String(data)));
    },
    write: (text) => socket.send(text),
    close: async () => socket.terminate(),
  };
}

function openMessagePort(server: Server<unknown>): Pipe {
  const port = openPort(server);
  return {
    kind: "port",
    start: (sink) => {
      port.on("message", (text) => sink.onText(text));
    },
    write: (text) => port.postMessage(text),
    close: async () => port.close(),
  };
}

/** The standard streams of a child process, line by line and nothing else. */
function openChild(fixture: FixtureName): Pipe {
  const { command, args } = childCommand(fixture);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  return {
    kind: "stdio",
    start: (sink) => {
      createInterface({ input: child.stdout }).on("line", (line) => sink.onText(line));
    },
    write: (text) => {
      child.stdin.write(`${text}\n`);
    },
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
