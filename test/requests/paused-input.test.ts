// Backpressure: a server pauses the input of a connection, and reads on when every reason for it is gone.
import { once } from "node:events";
import { connect, createServer as createNetServer, type Socket } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { createServer, type Pipe, servePipe, tool } from "allspeak";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Heartbeat } from "../../src/lib/async/heartbeat.ts";
import { callPart } from "../../src/lib/async/on-demand.ts";
import { SocketPipe } from "../../src/transports/socket/pipe.ts";
import { createStdioPipe } from "../../src/transports/stdio/server-pipe.ts";
import { WebSocketPipe } from "../../src/transports/websocket/pipe.ts";
import { alone } from "../support/raw-client.ts";
import { turns } from "../support/turns.ts";

/** The server's end of a connection, and the stream that it reads. */
interface ServerEnd {
  readonly pipe: Pipe;
  readonly input: Readable;
  /** Sends a message of the client. */
  readonly send: (text: string) => void;
}

async function openStdio(): Promise<ServerEnd> {
  const input = new PassThrough();
  const pipe = createStdioPipe({ input, output: new PassThrough() });
  return { pipe, input, send: (text) => void input.write(`${text}\n`) };
}

async function openSocket(): Promise<ServerEnd> {
  const listener = createNetServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  const client = connect(port, "127.0.0.1");
  const [socket] = (await once(listener, "connection")) as [Socket];
  onTestFinished(() => {
    client.destroy();
    listener.close();
  });
  const pipe = new SocketPipe(socket, { side: "server" });
  return { pipe, input: socket, send: (text) => void client.write(`${text}\n`) };
}

async function openWebSocket(): Promise<ServerEnd> {
  const listener = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const [[socket, { socket: input }]] = (await Promise.all([
    once(listener, "connection"),
    once(client, "open"),
  ])) as unknown as [[WebSocket, { socket: Socket }]];
  onTestFinished(() => {
    client.terminate();
    listener.close();
  });
  const options = { maxMessageBytes: 1_000_000, stallMs: 30_000, heartbeat: new Heartbeat(30_000) };
  const pipe = new WebSocketPipe(socket, { side: "server", ...options });
  return { pipe, input, send: (text) => client.send(text) };
}

/** A promise that the test settles. */
function createGate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

describe.each([
  ["stdio", openStdio],
  ["a socket", openSocket],
  ["a WebSocket", openWebSocket],
])("over %s", (_, open) => {
  function serve(pipe: Pipe): readonly string[] {
    const ran: string[] = [];
    const run = tool("run", {}, () => {
      ran.push("run");
      return "";
    });
    const connection = servePipe(createServer({ name: "test", version: "1.0.0", tools: [run] }), pipe);
    onTestFinished(() => connection.close(0));
    return ran;
  }

  const call = JSON.stringify({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "run", ...alone() },
  });

  test("a server reads no more calls while the code for them is loaded, and then runs the one that came", async () => {
    const { pipe, input, send } = await open();
    const ran = serve(pipe);
    const code = createGate();
    void callPart(() => code.promise).use(() => {});
    const paused = once(input, "pause");
    send(call);
    await paused;
    expect(ran).toEqual([]);
    const resumed = once(input, "resume");
    code.open();
    await resumed;
    expect(ran).toEqual(["run"]);
  });

  test("a server reads on only when the last reason for a pause is gone", async () => {
    const { pipe, input } = await open();
    serve(pipe);
    const [first, second] = [createGate(), createGate()];
    pipe.pauseUntil?.(first.promise);
    pipe.pauseUntil?.(second.promise);
    expect(input.isPaused()).toBe(true);
    first.open();
    await turns(1);
    expect(input.isPaused()).toBe(true);
    const resumed = once(input, "resume");
    second.open();
    await resumed;
  });
});
