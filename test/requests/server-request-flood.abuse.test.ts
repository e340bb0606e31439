import { describe, expect, test } from "vitest";
import type { Pipe, PipeSink } from "../../src/contract/pipe.ts";
import { openClientPeer } from "../../src/peer/client-peer.ts";
import type { ElicitResult } from "../../src/protocol/model/elicitation.ts";
import { openHttp } from "../support/http/open-http.ts";
import { done, ScriptedHttp, sessionScript, type Visit } from "../support/http/scripted-http.ts";
import { openClient } from "../support/open-client.ts";
import { handshakeServer, type Line, type Wire } from "../support/scripted-server.ts";

const question = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };

describe("a server that asks without end", () => {
  async function open() {
    const waiting: ((answer: ElicitResult) => void)[] = [];
    const server = handshakeServer("2025-11-25");
    await openClient(server, { elicit: () => new Promise((resolve) => waiting.push(resolve)) });
    return { line: server.line, waiting };
  }
  const refusals = (line: Line) =>
    line.received.filter(({ method, error }: Wire) => method === undefined && error);

  test("has a thousand questions open, and the others refused", async () => {
    const { line, waiting } = await open();
    for (let id = 0; id < 20_000; id++)
      line.send({ id: `q${id}`, method: "elicitation/create", params: question });
    // A ping is answered however many questions are open.
    expect(await line.ask("last", "ping")).toMatchObject({ result: {} });
    expect(waiting).toHaveLength(1_000);
    expect(refusals(line)).toHaveLength(19_000);
    expect(refusals(line)[0].error).toEqual({
      code: -32603,
      message: "Too many requests at once: this client holds 1000 that are not answered yet.",
    });
  });

  test("may ask again when a question was answered, not when it was only cancelled", async () => {
    const { line, waiting } = await open();
    for (let id = 0; id < 1_000; id++)
      line.send({ id: `q${id}`, method: "elicitation/create", params: question });
    line.notify("notifications/cancelled", { requestId: "q0" });
    expect(await line.ask("cancelled", "elicitation/create", question)).toHaveProperty("error");
    const answered = line.next(({ id }) => id === "q1");
    waiting[1]?.({ action: "decline" });
    await answered;
    line.send({ id: "next", method: "elicitation/create", params: question });
    await line.ask("last", "ping");
    expect(waiting).toHaveLength(1_001);
  });

  test("has no more than 64 Mi characters of questions open", async () => {
    const { line, waiting } = await open();
    const _meta = { pad: "x".repeat(12 * 1024 * 1024) };
    for (let id = 0; id < 10; id++)
      line.send({ id: `q${id}`, method: "elicitation/create", params: { ...question, _meta } });
    await line.ask("last", "ping");
    expect(waiting).toHaveLength(5);
    expect(refusals(line)).toHaveLength(5);
  });
});

test("a server that pings without end over HTTP gets its answers over sixteen connections at most", async () => {
  const posts: Visit[] = [];
  let isHeld = true;
  const server = await ScriptedHttp.start(
    sessionScript("2025-11-25", {
      "tools/call": (visit) => {
        visit.stream();
        for (let id = 0; id < 2_000; id++) visit.event({ id: `p${id}`, method: "ping" });
        visit.finish(done);
      },
      answer: (visit) => {
        if (isHeld) posts.push(visit);
        else visit.send(202);
      },
    }),
  );
  const { client, problems } = await openHttp(server);
  expect(await client.tools.call("a")).toMatchObject(done);
  await server.saw("answer", 15);
  await client.ping();
  expect(posts).toHaveLength(16);
  isHeld = false;
  for (const post of posts) post.send(202);
  await server.saw("answer", 40);
  expect(problems.map(({ message }) => message)).toEqual([
    "The server sends requests and takes no answers; they are dropped.",
  ]);
});

test("a server that pings without end and reads nothing makes a client hold a thousand answers", () => {
  const written: string[] = [];
  let sink: PipeSink | undefined;
  const pipe: Pipe = {
    kind: "stuck",
    start: (given) => {
      sink = given;
    },
    write: (text) => {
      written.push(text);
      return new Promise(() => {});
    },
    close: async () => {},
  };
  const problems: Error[] = [];
  const receiver = {
    onRequest: () => ({}),
    onNotification: () => {},
    onProblem: (problem: Error) => problems.push(problem),
    onClose: () => {},
  };
  openClientPeer(pipe, { receiver });
  for (let id = 0; id < 5_000; id++) sink?.onText(JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }));
  expect(written).toHaveLength(1_000);
  expect(problems).toHaveLength(1);
});
