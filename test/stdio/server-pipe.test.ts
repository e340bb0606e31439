import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { PipeSink } from "../../src/contract/pipe.ts";
import { Peer } from "../../src/peer/peer.ts";
import { createStdioPipe, type StdioPipeOptions } from "../../src/transports/stdio/server-pipe.ts";

function createSink() {
  const seen: string[] = [];
  let onClose = (_error?: Error): void => {};
  const closed = new Promise<Error | undefined>((resolve) => {
    onClose = resolve;
  });
  const sink: PipeSink = {
    onText: (text) => seen.push(text),
    onStrayOutput: (text) => seen.push(`stray: ${text}`),
    onUnreadable: ({ error }) => seen.push(`problem: ${error.message}`),
    onClose: (error) => {
      seen.push("closed");
      onClose(error);
    },
  };
  return { sink, seen, closed };
}

function start(options: Partial<StdioPipeOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const pipe = createStdioPipe({ input, output, ...options });
  const { sink, seen, closed } = createSink();
  pipe.start(sink);
  return { pipe, input, output, seen, closed };
}

describe("reading", () => {
  test("lines are delivered until the input ends, then the pipe is closed", async () => {
    const { input, seen, closed } = start();
    input.write('{"a":1}\n{"b"');
    input.end(':2}\ngarbage\n{"c":3}');
    expect(await closed).toBeUndefined();
    expect(seen).toEqual(['{"a":1}', '{"b":2}', "garbage", '{"c":3}', "closed"]);
  });

  test("nothing that arrived before the start is lost, nor an end that came before", async () => {
    const input = new PassThrough();
    input.end('{"a":1}\n');
    const pipe = createStdioPipe({ input, output: new PassThrough() });
    const { sink, seen, closed } = createSink();
    await setImmediate();
    pipe.start(sink);
    await closed;
    expect(seen).toEqual(['{"a":1}', "closed"]);

    const ended = Readable.from([]);
    ended.resume();
    await once(ended, "close");
    const late = start({ input: ended });
    expect(await late.closed).toBeUndefined();
  });

  test("an input that fails closes the pipe with the reason", async () => {
    const { input, closed } = start();
    input.destroy(new Error("read EIO"));
    expect(await closed).toMatchObject({ message: "read EIO" });
  });

  test("text is as good as bytes", async () => {
    const input = new PassThrough();
    input.setEncoding("utf8");
    const { seen, closed } = start({ input });
    input.end('{"a":"€"}\n');
    await closed;
    expect(seen).toEqual(['{"a":"€"}', "closed"]);
  });

  test("a message over the limit is refused, and the next one is read", async () => {
    const { input, seen, closed } = start({ maxMessageBytes: 20 });
    input.end('{"a":"0123456789012345"}\n{"b":2}\n');
    await closed;
    expect(seen).toEqual([expect.stringContaining("larger than 20 bytes"), '{"b":2}', "closed"]);
  });

  test("stops on endInput, while what was written still goes out", async () => {
    const { pipe, input, output, seen } = start();
    void pipe.write('{"answer":1}');
    pipe.endInput();
    input.write('{"late":1}\n');
    await pipe.flushed();
    expect(seen).toEqual(["closed"]);
    expect(String(output.read())).toBe('{"answer":1}\n');
    await pipe.close();
  });
});

describe("writing", () => {
  test("a reader that is behind stops the reading, and starts it again when it has caught up", async () => {
    const { pipe, input, output, seen } = start();
    const line = JSON.stringify({ text: "x".repeat(2 * 1024 * 1024) });
    const room = pipe.write(line);
    expect(room).toBeInstanceOf(Promise);
    expect(input.isPaused()).toBe(true);
    input.write('{"a":1}\n');
    await setImmediate();
    expect(seen).toEqual([]);
    output.resume();
    await room;
    while (seen.length === 0) await setImmediate();
    expect(seen).toEqual(['{"a":1}']);
    await pipe.close();
  });

  test("an output that nobody reads any more closes the pipe with the reason", async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("write EPIPE")) });
    const { pipe, closed } = start({ output });
    void pipe.write("{}");
    expect(await closed).toMatchObject({ code: "connection-closed", cause: { message: "write EPIPE" } });
    await expect(pipe.write("{}")).rejects.toMatchObject({ code: "connection-closed" });
    await pipe.close();
  });

  test("answers to the last requests go out, although the input has ended", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const receiver = {
      onRequest: async () => ({ ok: true }),
      onNotification() {},
      onProblem() {},
      onClose() {},
    };
    const peer = new Peer(createStdioPipe({ input, output }), { receiver });
    peer.start();
    input.end('{"jsonrpc":"2.0","id":1,"method":"x"}');
    await once(output, "readable");
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":1,"result":{"ok":true}}\n');
    await peer.close();
  });
});

describe("closing", () => {
  test("waits for what was written, lets go of the streams, and may be done twice", async () => {
    const { pipe, input, output, seen } = start();
    void pipe.write("{}");
    await Promise.all([pipe.close(), pipe.close()]);
    expect(seen).toEqual(["closed"]);
    expect(String(output.read())).toBe("{}\n");
    for (const event of ["data", "end", "close"])
      expect(input.listenerCount(event), event).toBe(plain.listenerCount(event));
    expect(output.listenerCount("error")).toBe(plain.listenerCount("error"));
    expect(input.isPaused()).toBe(true);
  });

  test("does not wait for ever for a reader that is stuck", async () => {
    const output = new Writable({ write: () => {} });
    const { pipe, closed } = start({ output });
    void pipe.write("{}");
    await pipe.close();
    await closed;
    expect(output.listenerCount("error")).toBe(plain.listenerCount("error") + 1);
  });
});

/** A stream that nobody has touched, to compare with. */
const plain = new PassThrough();
