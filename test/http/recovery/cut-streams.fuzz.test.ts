import { setImmediate } from "node:timers/promises";
import { CallLostError, createServer, tool } from "allspeak";
import { connect, type LogMessage } from "allspeak/client";
import { type HttpServerHandle, serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fuzzed } from "../../support/fuzz.ts";

const lines = 12;

/** Says so many things, some of them long, with turns between, so that cuts fall everywhere. */
const story = tool("story", {}, async (_, ctx) => {
  for (let line = 1; line <= lines; line++) {
    await ctx.log("info", `${line} ${"é".repeat((line * 37) % 150)}`);
    if (line % 3 === 0) await setImmediate();
  }
  return "the end";
});

let running: HttpServerHandle;
beforeAll(async () => {
  const server = createServer({ name: "story", version: "1", tools: [story] });
  running = await serveHttp(server, { sessions: { retryMs: 20 } });
});
afterAll(() => running.close(0));

/** Lets so many bytes of a body through, then breaks its connection. */
function cutAfter(response: Response, bytes: number): Response {
  const reader = response.body?.getReader();
  let left = bytes;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    // What is not read yet when a stream breaks is lost, so it breaks when more is asked for.
    if (left === 0) return controller.error(new TypeError("terminated"));
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return controller.close();
    const passed = value.subarray(0, left);
    left -= passed.length;
    if (left === 0) void reader?.cancel().catch(() => {});
    controller.enqueue(passed);
  };
  const body = new ReadableStream({ pull, cancel: (reason) => reader?.cancel(reason) }, { highWaterMark: 0 });
  return new Response(body, response);
}

/** Calls the tool; the streams of its answer are cut one after the other, each after so many bytes. */
async function tell(cuts: readonly number[]) {
  const heard: string[] = [];
  const waiting = [...cuts];
  let isCalling = false;
  let resumed = false;
  const cutting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isResumed = new Headers(init?.headers).has("last-event-id");
    resumed ||= isResumed;
    const isAnswer = isResumed || init?.method === "POST";
    if (!isCalling || !isAnswer || response.headers.get("content-type") !== "text/event-stream")
      return response;
    const bytes = waiting.shift();
    return bytes === undefined ? response : cutAfter(response, bytes);
  };
  const client = await connect(running.url, {
    revisions: ["2025-11-25"],
    fetch: cutting,
    onLog: ({ data }: LogMessage) => heard.push(String(data).split(" ")[0] ?? ""),
    onProblem: () => {},
  });
  await client.setLogLevel("debug");
  isCalling = true;
  const result = await client.tools.call("story").catch((error: unknown) => error);
  await client.close();
  return { heard, result, resumed };
}

const whole = Array.from({ length: lines }, (_, at) => String(at + 1));
const theEnd = { content: [{ type: "text", text: "the end" }] };
/** The first event, which is needed to come back, is shorter than this. */
const priming = 40;

describe("our client and a call whose stream is cut", () => {
  it("at any byte misses nothing, and hears nothing twice", { timeout: 60_000 }, async () => {
    const apart = fuzzed(116, 29);
    const offsets = Array.from({ length: 4640 / apart }, (_, at) => priming + at * apart);
    const tellings = await Promise.all(offsets.map((offset) => tell([offset])));
    for (const { heard, result } of tellings) {
      expect(heard).toEqual(whole);
      expect(result).toMatchObject(theEnd);
    }
    // The last are beyond the end of the stream.
    expect(tellings.filter(({ resumed }) => resumed).length).toBeGreaterThan(offsets.length * 0.625);
  });

  it("again and again misses nothing, and hears nothing twice", async () => {
    const schedules = Array.from({ length: fuzzed(10, 40) }, (_, at) => [
      priming + at * 31,
      priming + at * 17,
      priming + at * 7,
    ]);
    for (const { heard, result } of await Promise.all(schedules.map(tell))) {
      expect(heard).toEqual(whole);
      expect(result).toMatchObject(theEnd);
    }
  });

  it("before it can be resumed fails at once, and says that it may have been carried out", async () => {
    for (const { heard, result } of await Promise.all([1, 5, 20, 30].map((offset) => tell([offset])))) {
      expect(heard).toEqual([]);
      expect(result).toBeInstanceOf(CallLostError);
      expect(result).toMatchObject({ lost: "connection", mayRetry: false });
    }
  });
});
