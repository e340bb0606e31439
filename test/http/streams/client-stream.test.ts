import { describe, expect, test } from "vitest";
import { InvalidResponseError, MessageTooLargeError } from "../../../src/errors.ts";
import { type Opened, openHttp } from "../../support/http/open-http.ts";
import {
  done,
  type Handler,
  ScriptedHttp,
  sessionScript,
  type Visit,
} from "../../support/http/scripted-http.ts";
import { failure } from "../../support/open-client.ts";

async function openAnswering(answer: Handler, options: Parameters<typeof openHttp>[1] = {}) {
  const server = await ScriptedHttp.start(sessionScript("2025-11-25", { "tools/call": answer }));
  const opened: Opened = await openHttp(server, options);
  return { server, ...opened };
}

const answerOf = (visit: Visit) => JSON.stringify({ jsonrpc: "2.0", id: visit.body.id, result: done });

describe("a stream of events", () => {
  test.each<[string, (answer: string) => string]>([
    ["with data on several lines", (answer) => `data: ${answer.replaceAll(",", ",\ndata: ")}\n\n`],
    ["with comments", (answer) => `:\n: hello\n\n:\ndata: ${answer}\n: there\n\n`],
    ["with CRLF", (answer) => `event: message\r\ndata: ${answer}\r\n\r\n`],
    ["with CR", (answer) => `event: message\rdata: ${answer}\r\r\r`],
    ["with a byte order mark", (answer) => `\ufeffdata: ${answer}\n\n`],
    ["without a space after the colon", (answer) => `data:${answer}\n\n`],
    ["with fields that nobody knows", (answer) => `what: ever\nretry: soon\ndata: ${answer}\n\n`],
    [
      "with events of other kinds",
      (answer) => `event: ping\ndata: {}\n\nevent: message\ndata: ${answer}\n\n`,
    ],
    ["with events of no data", (answer) => `id: 1\ndata:\n\ndata\n\ndata: ${answer}\n\n`],
  ])("%s is understood", async (_, write) => {
    const { client, problems } = await openAnswering((visit) => {
      visit
        .stream()
        .write(write(answerOf(visit)))
        .end();
    });
    expect(await client.tools.call("anything")).toEqual(done);
    expect(problems).toEqual([]);
  });

  test("may be cut into pieces anywhere, also within a character", async () => {
    const text = "Grüße, 世界 🌍";
    const { client } = await openAnswering(async (visit) => {
      const answer = { jsonrpc: "2.0", id: visit.body.id, result: { content: [{ type: "text", text }] } };
      visit.stream();
      for (const byte of Buffer.from(`data: ${JSON.stringify(answer)}\n\n`)) {
        visit.write(new Uint8Array([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      visit.end();
    });
    expect((await client.tools.call("anything")).content).toEqual([{ type: "text", text }]);
  });

  test("may end with [DONE], which is no problem", async () => {
    const { client, problems } = await openAnswering((visit) => {
      visit.stream().event({ id: visit.body.id, result: done }).event("[DONE]").end();
    });
    expect(await client.tools.call("anything")).toEqual(done);
    expect(problems).toEqual([]);
  });

  test.each(["hello", "{", "[]", '"text"', "7", '{"a":1}'])(
    "may hold %s, which is reported and passed over",
    async (noise) => {
      const { client, problems } = await openAnswering((visit) => {
        visit.stream().event(noise);
        visit.finish(done);
      });
      expect(await client.tools.call("anything")).toEqual(done);
      expect(problems.length).toBe(1);
    },
  );

  test("may hold answers that nobody waits for, which are reported and passed over", async () => {
    const { client, problems } = await openAnswering((visit) => {
      visit.stream();
      visit.event({ id: 4711, result: {} }).event({ id: String(visit.body.id), result: {} });
      visit.finish(done);
    });
    expect(await client.tools.call("anything")).toEqual(done);
    expect(problems.map(({ message }) => message)).toEqual([
      "Ignored a response to the unknown request 4711.",
      expect.stringMatching(/^Ignored a response to the unknown request "\d+"\.$/),
    ]);
  });

  test("tells of progress before the answer, in order", async () => {
    const { client } = await openAnswering((visit) => {
      const { progressToken } = visit.body.params._meta;
      visit.stream();
      for (const progress of [1, 2, 3])
        visit.event({ method: "notifications/progress", params: { progressToken, progress } });
      visit.finish(done);
    });
    const seen: number[] = [];
    await client.tools.call("anything", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  test("that is not UTF-8 fails the call, and nothing else", async () => {
    const { client } = await openAnswering((visit) => {
      visit
        .stream()
        .write(new Uint8Array([100, 97, 116, 97, 58, 0xff, 10, 10]))
        .end();
    });
    expect(await failure(client.tools.call("anything"))).toBeInstanceOf(InvalidResponseError);
    await client.ping();
  });
});

describe("what never ends", () => {
  const http = { maxMessageBytes: 100_000 };
  const piece = "x".repeat(10_000);

  /** Sends more and more until the client has had enough. */
  async function pour(visit: Visit, text: string): Promise<void> {
    let isGone = false;
    void visit.gone.then(() => {
      isGone = true;
    });
    while (!isGone) {
      visit.write(text);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test.each<[string, string, string]>([
    ["an event of one line", "data: ", piece],
    ["an event of many lines", "", `data: ${piece}\n`],
    ["a comment", ":", piece],
  ])("%s fails the call at the cap", async (_, start, more) => {
    const { client } = await openAnswering(
      async (visit) => {
        await pour(visit.stream().write(start), more);
      },
      { http },
    );
    expect(await failure(client.tools.call("anything"))).toBeInstanceOf(MessageTooLargeError);
    await client.ping();
  });

  test("a body fails the call at the cap", async () => {
    const { client } = await openAnswering(
      async (visit) => {
        await pour(visit.stream({ "content-type": "application/json" }).write('{"'), piece);
      },
      { http },
    );
    const error = await failure(client.tools.call("anything"));
    expect(error).toBeInstanceOf(MessageTooLargeError);
    expect(error.message).toContain("100000");
    await client.ping();
  });

  test("the words of a refusal are not read to their end", async () => {
    const { client } = await openAnswering(async (visit) => {
      visit.head(500);
      await pour(visit, piece);
    });
    const error = await failure(client.tools.call("anything"));
    expect(error).toMatchObject({ code: "http", status: 500 });
    expect(error.message.length).toBeLessThan(500);
  });
});
