import { createServer } from "allspeak";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { openSession, RawSession, toInitialize } from "../../support/http/raw-session.ts";
import { sharedMemory } from "../../support/shared-state.ts";

type ServeOptions = Parameters<typeof serveHttp>[1];

/** A server whose tool asks the client for its roots. */
async function serve(options: ServeOptions = {}): Promise<string> {
  const server = createServer({ name: "s", version: "1", log: () => {} });
  server.tool("ask", {}, async (_, ctx) => {
    const failed = await ctx.roots().catch((error: Error) => error);
    return failed instanceof Error ? `${failed.name}: ${failed.message}` : "roots";
  });
  const running = await serveHttp(server, options);
  onTestFinished(() => running.close(0));
  return running.url;
}

const capabilities = { roots: {} };
const toMalformed = (id: unknown) => ({ jsonrpc: "2.0", id, result: "no object" });
const failed = {
  result: { content: [{ text: expect.stringMatching(/^InvalidResponseError: "result" must/) }] },
};

/** Asks in a session, and answers to another URL of the server. */
async function askAndAnswer(
  revision: string,
  [asked, answered]: [string, string],
  toBody: (bad: object) => object,
) {
  const session = await openSession(asked, revision, { capabilities });
  await session.notify("notifications/initialized");
  const events = (await session.call("ask")).events();
  const question = await events.message();
  const answer = await new RawSession(answered, session.id, revision).post(toBody(toMalformed(question?.id)));
  const body = await answer.json();
  return { status: answer.status, body, result: await events.message() };
}

const refused = { status: 400, body: { jsonrpc: "2.0", error: { code: -32600 } }, result: failed };

it("a malformed response is refused, and fails its question at once", async () => {
  const url = await serve();
  const outcome = await askAndAnswer("2025-11-25", [url, url], (bad) => bad);
  expect(outcome).toMatchObject(refused);
  expect(outcome.body).not.toHaveProperty("id");
});

it("a batch of malformed responses is refused, and fails its questions at once", async () => {
  const url = await serve();
  expect(await askAndAnswer("2025-03-26", [url, url], (bad) => [bad])).toMatchObject(refused);
});

it("a malformed response fails a question of another node", async () => {
  const state = sharedMemory();
  const urls: [string, string] = [await serve({ state }), await serve({ state: { ...state } })];
  expect(await askAndAnswer("2025-11-25", urls, (bad) => bad)).toMatchObject(refused);
});

it("a malformed response over HTTP+SSE is refused, and fails its question at once", async () => {
  const url = await serve();
  const events = (await exchange(new URL("/sse", url).href)).events();
  onTestFinished(() => events.cut());
  const messages = new URL((await events.next())?.data ?? "", url).href;
  const post = (body: object) =>
    exchange(messages, { body, headers: { "content-type": "application/json" } });
  await post(toInitialize("2024-11-05", capabilities));
  await events.message();
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
  const question = await events.message();
  expect((await post(toMalformed(question?.id))).status).toBe(400);
  expect(await events.message()).toMatchObject({ id: 1, ...failed });
});
