// A process ends soon after it has closed a state, also where something else than the store listens at the port.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Without an end by `close()`, a client of NATS tries for 15 seconds. A busy machine takes some time, too. */
const soonMs = 8_000;

/** Servers that are none of ours, by what they send to a client. */
const strangers: Record<string, (socket: Socket) => void> = {
  "a silent server": () => {},
  "an HTTP server": (socket) =>
    void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")),
  "a server that speaks first": (socket) => void socket.write("220 mail.example.com ESMTP\r\n"),
  "a server that hangs up": (socket) => void socket.end(),
};

const states: Record<string, (port: number) => string> = {
  redis: (port) => `redis("redis://127.0.0.1:${port}")`,
  postgres: (port) => `postgres("postgres://postgres@127.0.0.1:${port}/test")`,
  nats: (port) => `nats("nats://127.0.0.1:${port}")`,
};

async function listen(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    socket.resume();
    answer(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Runs a program that uses a state, closes it and has nothing else to do; the time that it took to end, in ms. */
async function run(name: string, state: string, waits: boolean) {
  const program = `
    import { ${name} } from "allspeak/state/${name}";
    const state = ${state};
    state.events.watch("stream", () => {});
    const found = state.values.get("a").then(() => "found", () => "failed");
    await ${waits ? "found" : "new Promise((resolve) => setTimeout(resolve, 100))"};
    const begin = performance.now();
    process.on("exit", () => console.log(Math.round(performance.now() - begin)));
    await state.close();
    console.log(await found);
  `;
  const args = ["--input-type=module", "--eval", program];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const [outcome, ms] = output.trim().split("\n");
  return { code, outcome, ms: Number(ms) };
}

describe.each(Object.entries(states))("a program with %s() at the port of", (name, toState) => {
  it.each(Object.entries(strangers))("%s ends soon after close()", { timeout: 60_000 }, async (_, answer) => {
    const port = await listen(answer);
    for (const waits of [false, true]) {
      const { ms, ...ended } = await run(name, toState(port), waits);
      expect(ended).toEqual({ code: 0, outcome: "failed" });
      expect(ms, waits ? "after a failure" : "while it connects").toBeLessThan(soonMs);
    }
  });
});
