import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type EventStreamHandlers,
  readEventStream,
  type StreamHeartbeat,
} from "../../../src/transports/http/client/fetch/read-event-stream.ts";
import { FetchResponse } from "../../../src/transports/http/client/fetch-sender.ts";

const bytes = new TextEncoder();

function responseOf(chunks: readonly Uint8Array[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    }),
  );
}

interface Given extends Partial<EventStreamHandlers> {
  readonly heartbeat?: StreamHeartbeat;
}

async function read(
  chunks: readonly Uint8Array[],
  { heartbeat, ...reading }: Given = {},
): Promise<unknown[]> {
  const seen: unknown[] = [];
  const limits = {
    heartbeat: heartbeat ?? { hasHeartbeat: false, silenceMs: Number.POSITIVE_INFINITY },
    maxBytes: 10_000,
  };
  await readEventStream(new FetchResponse(responseOf(chunks), new URL("http://localhost/mcp")), limits, {
    onMessage: (text) => seen.push(text),
    onOther: (kind, data) => seen.push([kind, data]),
    onId: (id) => seen.push({ id }),
    onRetry: (ms) => seen.push(ms),
    ...reading,
  });
  return seen;
}

const stream = '\ufeff: hi\r\nid: 1\r\ndata: {"a":"ä🌍"}\r\n\r\nretry: 5\n\nevent: x\ndata: 1\ndata: 2\n\n';

describe("reading events", () => {
  test("does not depend on where the stream is cut", async () => {
    const whole = bytes.encode(stream);
    const expected = [{ id: "1" }, '{"a":"ä🌍"}', 5, ["x", "1\n2"]];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: whole.length })), async (given) => {
        const cuts = [0, ...given.sort((a, b) => a - b), whole.length];
        const chunks = cuts.slice(1).map((end, index) => whole.slice(cuts[index], end));
        expect(await read(chunks)).toEqual(expected);
      }),
    );
  });

  test("skips the mark by which some gateways end a stream", async () => {
    expect(await read([bytes.encode('data: {"a":1}\n\ndata: [DONE]\n\n')])).toEqual(['{"a":1}']);
  });

  test("takes note of signs of life that say nothing else", async () => {
    const heartbeat = { hasHeartbeat: false, silenceMs: Number.POSITIVE_INFINITY };
    await read([bytes.encode("data: 1\n\n")], { heartbeat });
    expect(heartbeat.hasHeartbeat).toBe(false);
    await read([bytes.encode(":\n\n")], { heartbeat });
    expect(heartbeat.hasHeartbeat).toBe(true);
  });

  test("takes what fits and no more", async () => {
    const fits = bytes.encode(`data: ${"x".repeat(9_000)}\n\n`);
    expect((await read([fits])).length).toBe(1);
    const whole = bytes.encode(`data: ${"x".repeat(11_000)}`);
    await expect(read([whole])).rejects.toMatchObject({ code: "message-too-large" });
  });

  test("drops an event that was not finished", async () => {
    expect(await read([bytes.encode("data: 1\n\ndata: 2")])).toEqual(["1"]);
  });
});
