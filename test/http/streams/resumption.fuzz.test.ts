import { setImmediate } from "node:timers/promises";
import { createServer, tool } from "allspeak";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { fuzzed } from "../../support/fuzz.ts";
import { entries, type Listening } from "../../support/http/entries.ts";
import { type ServerEvent, toEvent } from "../../support/http/event-reader.ts";
import type { Answer } from "../../support/http/exchange.ts";
import { openSession, type RawSession } from "../../support/http/raw-session.ts";

/** Says so many things, some of them long, with turns between, so that cuts fall everywhere. */
const story = tool("story", { input: { count: z.number() } }, async ({ count }, ctx) => {
  for (let line = 1; line <= count; line++) {
    await ctx.log("info", `${line} ${"é".repeat((line * 37) % 300)}`);
    if (line % 3 === 0) await setImmediate();
  }
  return `${count} lines`;
});

const lastUri = "story://result";

/** Reads the events of at most so many bytes, or up to the last one there is, and breaks the connection there. */
async function readBytes(answer: Answer, limit: number): Promise<{ events: ServerEvent[]; ended: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let ended = true;
  for await (const chunk of answer.stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < limit && !Buffer.concat(chunks).includes(`${lastUri}"}}\n\n`)) continue;
    ended = false;
    break;
  }
  answer.cut();
  const text = Buffer.concat(chunks).subarray(0, limit).toString("latin1");
  // An event counts when its empty line has come; the rest was lost on the way.
  const blocks = text.slice(0, text.lastIndexOf("\n\n") + 1).split("\n\n");
  const events = blocks.filter((block) => block.trim() !== "").map((block) => toEvent(block.trimStart()));
  return { events, ended };
}

/** Follows a stream over all cuts to its end, as a client does. */
async function follow(session: RawSession, first: Answer, cuts: readonly number[]): Promise<string[]> {
  const messages: string[] = [];
  let last: string | undefined;
  let answer = first;
  for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
    const { events, ended } = await readBytes(answer, cut);
    for (const { id, data } of events) {
      last = id ?? last;
      if (data) messages.push(data);
    }
    const isDone = messages.some((message) => message.includes('"result"'));
    if (isDone || (ended && cut === Number.POSITIVE_INFINITY)) return messages;
    if (last === undefined) throw new Error("The stream was cut before it could be resumed.");
    answer = await session.get(last);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  }
  return messages;
}

function numbersOf(messages: readonly string[]): string[] {
  return messages.map((message) => {
    const { params, result } = JSON.parse(message) as {
      params?: { data: string };
      result?: { content: { text: string }[] };
    };
    return params ? (params.data.split(" ")[0] ?? "") : (result?.content[0]?.text ?? "");
  });
}

const told = (count: number) => [
  ...Array.from({ length: count }, (_, at) => String(at + 1)),
  `${count} lines`,
];
/** The first event, which is needed to come back, is shorter than this. */
const priming = 80;

describe.each(entries)("resumption: nothing lost, nothing doubled, $name", (entry) => {
  const server = createServer({ name: "story", version: "1", tools: [story] });
  server.resource("story://result", { name: "result" }, () => "");
  let listening: Listening;
  let session: RawSession;
  beforeAll(async () => {
    listening = await entry.open(server);
    session = await openSession(listening.url, "2025-11-25");
  });
  afterAll(() => listening.close(0));

  it("a call whose stream is cut after every event", async () => {
    const count = 12;
    for (let kept = 1; kept <= count; kept++) {
      const events = (await session.call("story", { count })).events();
      const seen: ServerEvent[] = [];
      for (let at = 0; at <= kept; at++) seen.push((await events.next()) ?? {});
      events.cut();
      const rest = await (await session.listen(seen.at(-1)?.id)).rest();
      const messages = [...seen, ...rest].map(({ data }) => data ?? "").filter((data) => data !== "");
      expect(numbersOf(messages)).toEqual(told(count));
    }
  });

  it("a call whose stream is cut at random bytes, again and again", async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), cuts, async (count, [first = 500, ...others]) => {
        const answer = await session.call("story", { count });
        const messages = await follow(session, answer, [priming + first, ...others]);
        expect(numbersOf(messages)).toEqual(told(count));
      }),
      { numRuns: fuzzed(25, 100) },
    );
  }, 60_000);

  it("the stream beside the calls, cut at random bytes while it is written", async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 1500 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), cuts, async (count, others) => {
        const reader = await openSession(listening.url, "2025-11-25");
        const uris = Array.from({ length: count }, (_, at) => `story://${at}/${"x".repeat((at * 37) % 200)}`);
        for (const uri of [...uris, lastUri]) await reader.ask("resources/subscribe", { uri });
        const answer = await reader.get();
        const write = async () => {
          for (const [at, uri] of uris.entries()) {
            void server.resources.updated(uri);
            if (at % 4 === 0) await setImmediate();
          }
          void server.resources.updated(lastUri);
        };
        const [messages] = await Promise.all([followUpdates(reader, answer, [priming, ...others]), write()]);
        expect(messages).toEqual([...uris, lastUri]);
        await reader.delete();
      }),
      { numRuns: fuzzed(8, 30) },
    );
  }, 60_000);
});

/** Follows a stream that never ends, until the last update that is awaited. */
async function followUpdates(session: RawSession, first: Answer, cuts: readonly number[]): Promise<string[]> {
  const uris: string[] = [];
  let last: string | undefined;
  let answer = first;
  for (const cut of cuts) {
    const { events } = await readBytes(answer, cut);
    for (const { id, data } of events) {
      last = id ?? last;
      if (data) uris.push(JSON.parse(data).params.uri);
    }
    if (uris.at(-1) === lastUri) return uris;
    answer = await session.get(last);
  }
  const events = answer.events();
  while (uris.at(-1) !== lastUri) {
    const message = await events.message<{ params: { uri: string } }>();
    if (message === undefined) throw new Error("The stream has ended.");
    uris.push(message.params.uri);
  }
  events.cut();
  return uris;
}
