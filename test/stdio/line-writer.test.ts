import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ConnectionClosedError } from "../../src/errors.ts";
import { LineWriter, type LineWriterOptions } from "../../src/transports/framing/line-writer.ts";

type Done = (error?: Error | null) => void;

/** A writer over a stream that takes as long as the test wants. */
function createWriter(options: Partial<LineWriterOptions> = {}) {
  const sent: string[] = [];
  const failures: Error[] = [];
  const waiting: Done[] = [];
  const writer = new LineWriter({
    send: (text, done) => {
      sent.push(text);
      waiting.push(done);
    },
    onFailure: (reason) => failures.push(reason),
    ...options,
  });
  return { writer, sent, failures, finish: (error?: Error) => waiting.shift()?.(error) };
}

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe("writing", () => {
  test("all lines of one turn go out in one piece, those of asynchronous answers included", async () => {
    const { writer, sent } = createWriter();
    void writer.write("a");
    await Promise.resolve().then(() => writer.write("b"));
    process.nextTick(() => writer.write("c"));
    await setImmediate();
    expect(sent).toEqual(["a\nb\nc\n"]);
  });

  test("the lines of joined work go out in one piece, in the next tick", async () => {
    const { writer, sent, finish } = createWriter();
    writer.join(() => {
      void writer.write("a");
      void writer.write("b");
    });
    expect(sent).toEqual([]);
    await nextTick();
    expect(sent).toEqual(["a\nb\n"]);
    finish();
    await setImmediate();
    expect(sent).toEqual(["a\nb\n"]);
  });

  test("joined work waits for a piece that is under way, and takes along what was written before", async () => {
    const { writer, sent, finish } = createWriter();
    void writer.write("a");
    writer.join(() => void writer.write("b"));
    await nextTick();
    expect(sent).toEqual(["a\nb\n"]);
    void writer.write("c");
    writer.join(() => void writer.write("d"));
    await setImmediate();
    expect(sent).toEqual(["a\nb\n"]);
    finish();
    expect(sent).toEqual(["a\nb\n", "c\nd\n"]);
  });

  test("what is written while a piece is under way makes up the next piece", async () => {
    const { writer, sent, finish } = createWriter();
    void writer.write("a");
    await setImmediate();
    void writer.write("b");
    void writer.write("c");
    await setImmediate();
    expect(sent).toEqual(["a\n"]);
    finish();
    expect(sent).toEqual(["a\n", "b\nc\n"]);
  });

  test("flushed waits for everything, and for nothing when there is nothing", async () => {
    const { writer, finish } = createWriter();
    await writer.flushed();
    void writer.write("a");
    await setImmediate();
    void writer.write("b");
    const order: string[] = [];
    const flushed = writer.flushed().then(() => order.push("flushed"));
    finish();
    await setImmediate();
    order.push("second piece is out");
    finish();
    await flushed;
    expect(order).toEqual(["second piece is out", "flushed"]);
  });
});

describe("a reader that is behind", () => {
  test("writers go on without waiting as long as there is room", () => {
    const { writer } = createWriter({ highWaterMark: 10 });
    expect(writer.write("12345")).toBeUndefined();
    expect(writer.write("123")).toBeUndefined();
    expect(writer.write("x")).toBeInstanceOf(Promise);
  });

  test("writers who were asked to wait go on once there is room", async () => {
    const { writer, finish } = createWriter({ highWaterMark: 10 });
    const first = writer.write("x".repeat(20));
    await setImmediate();
    const second = writer.write("y");
    finish();
    await Promise.all([first, second]);
    expect(writer.write("z")).toBeUndefined();
  });

  test("writers who did not wait are stopped at the limit", async () => {
    const { writer, failures } = createWriter({ highWaterMark: 10, maxUnsent: 100 });
    const early = writer.write("x".repeat(50));
    const late = writer.write("x".repeat(50));
    await expect(early).rejects.toThrow(ConnectionClosedError);
    await expect(late).rejects.toThrow(ConnectionClosedError);
    expect(failures).toHaveLength(1);
    expect(String(failures[0]?.cause)).toContain("a reader that is stuck");
  });

  test("writers are stopped at the limit even where all lines together are longer than a text can be", async () => {
    const { writer, failures } = createWriter();
    void writer.write("x".repeat(2 ** 28 - 10));
    await expect(writer.write("y".repeat(2 ** 28 + 100))).rejects.toThrow(ConnectionClosedError);
    expect(failures).toHaveLength(1);
  });
});

describe("a reader that is gone", () => {
  test("whoever waits hears of it, whoever writes later too, and the pipe once", async () => {
    const { writer, failures, finish } = createWriter({ highWaterMark: 10 });
    const waiting = writer.write("x".repeat(20));
    const flushed = writer.flushed();
    await setImmediate();
    const broken = new Error("write EPIPE");
    finish(broken);
    writer.fail(broken);
    await expect(waiting).rejects.toMatchObject({ code: "connection-closed", cause: broken });
    await expect(writer.write("later")).rejects.toMatchObject({ code: "connection-closed", cause: broken });
    await flushed;
    await writer.flushed();
    expect(failures).toHaveLength(1);
  });

  test("nothing is sent after a failure, not even what was on its way", async () => {
    const { writer, sent } = createWriter();
    void writer.write("a");
    writer.fail(new Error("gone"));
    await setImmediate();
    expect(sent).toEqual([]);
  });

  test("a promise that nobody looks at does no harm", async () => {
    const { writer } = createWriter({ highWaterMark: 1 });
    void writer.write("abc");
    writer.fail(new Error("gone"));
    await setImmediate();
    await expect(writer.flushed()).resolves.toBeUndefined();
  });
});
