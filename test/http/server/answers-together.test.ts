import { createServer as createHttpServer } from "node:http";
import { Duplex } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createServer } from "../../../src/index.ts";
import { createNodeHandler, type NodeHandler } from "../../../src/node.ts";
import { MetaKey } from "../../../src/protocol/meta.ts";
import { queueAnswer } from "../../../src/transports/http/server/node/node-reply.ts";

/** A connection in memory, so that nothing comes between two requests of one turn. */
class Connection extends Duplex {
  readonly #onAnswer: (text: string) => void;

  constructor(onAnswer: (text: string) => void) {
    super();
    this.#onAnswer = onAnswer;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    if (chunk.length > 0) this.#onAnswer(chunk.toString());
    done();
  }

  call(name: string): void {
    const meta = {
      [MetaKey.protocolVersion]: "2026-07-28",
      [MetaKey.clientInfo]: { name: "test", version: "1.0.0" },
      [MetaKey.clientCapabilities]: {},
    };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, _meta: meta },
    });
    const head = [
      "POST /mcp HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
      "MCP-Protocol-Version: 2026-07-28",
      "Mcp-Method: tools/call",
      `Mcp-Name: ${name}`,
      `Content-Length: ${body.length}`,
    ];
    this.push(`${head.join("\r\n")}\r\n\r\n${body}`);
  }
}

/** Serves a tool that does `work`; `events` are the runs of the tool and the answers, in their order. */
function serve(work: (handler: NodeHandler) => unknown = () => {}) {
  // Code that runs for the first time is slow.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const events: string[] = [];
  let answered = () => {};
  const server = createServer({ name: "test", version: "1.0.0" });
  server.tool("work", {}, () => {
    events.push("run");
    void work(handler);
    return "done";
  });
  const handler = createNodeHandler(server);
  const http = createHttpServer(handler);
  onTestFinished(() => handler.close(0));
  const connect = () => {
    const connection = new Connection((text) => {
      events.push(text.includes("200 OK") ? "answer" : text);
      answered();
    });
    http.emit("connection", connection);
    return connection;
  };
  const untilAnswers = (count: number) =>
    new Promise<void>((resolve) => {
      answered = () => events.filter((event) => event === "answer").length === count && resolve();
    });
  return { events, connect, untilAnswers };
}

describe("the answers of one turn", () => {
  it("leave together, after all of its calls", async () => {
    const { events, connect, untilAnswers } = serve();
    const connections = [connect(), connect(), connect()];
    const answers = untilAnswers(3);
    for (const connection of connections) connection.call("work");
    await answers;
    expect(events).toEqual(["run", "run", "run", "answer", "answer", "answer"]);
  });

  it("wait for one slow handler, and not for a second one", async () => {
    const { events, connect, untilAnswers } = serve(() => vi.advanceTimersByTime(50));
    const connections = [connect(), connect(), connect()];
    const answers = untilAnswers(3);
    for (const connection of connections) connection.call("work");
    await answers;
    expect(events).toEqual(["run", "run", "answer", "answer", "run", "answer"]);
  });

  it("have left when the handler is closed", async () => {
    let onClosed = () => {};
    const closed = new Promise<void>((resolve) => {
      onClosed = resolve;
    });
    const { events, connect } = serve(async (handler) => {
      await handler.close(0);
      events.push("closed");
      onClosed();
    });
    connect().call("work");
    await closed;
    expect(events).toEqual(["run", "answer", "closed"]);
  });

  it("leave although one of them can't, which is answered with an error", async () => {
    const http = createHttpServer((_, response) => {
      const request = { response, stallMs: 1_000, limits: undefined, caller: undefined };
      const whole = { request, status: 200, body: "x", encoding: "latin1" } as const;
      if (answers++ === 1) queueAnswer({ ...whole, headers: ["x-header", "a\r\nb"] });
      else queueAnswer({ ...whole, headers: ["content-length", "1"] });
    });
    let answers = 0;
    const texts: string[] = [];
    let answered = () => {};
    const all = new Promise<void>((resolve) => {
      answered = () => texts.length === 3 && resolve();
    });
    for (let count = 0; count < 3; count++) {
      const connection = new Connection((text) => {
        if (text.startsWith("HTTP/")) texts.push(text.slice(0, 12));
        answered();
      });
      http.emit("connection", connection);
      connection.call("work");
    }
    await all;
    expect(texts.sort()).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 500"]);
  });
});
