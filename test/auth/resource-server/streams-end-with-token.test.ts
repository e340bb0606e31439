import { createServer } from "allspeak";
import { bearer } from "allspeak/auth";
import { connect } from "allspeak/client";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { publicUrl } from "../../support/auth/protected-server.ts";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { openSession, RawSession, toInitialize } from "../../support/http/raw-session.ts";
import { askNewest } from "../../support/http/stateless-request.ts";

/** A token says how many seconds after the start of the test it expires. */
const start = 1_800_000_000;
const auth = bearer({
  verify: (token, { audience }) => ({ sub: "alice", aud: audience, exp: start + Number(token) }),
});
const as = (seconds: number) => ({ authorization: `Bearer ${seconds}` });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: start * 1000 });
});
afterEach(() => vi.useRealTimers());

function createProtected() {
  const server = createServer({ name: "protected", version: "1" });
  server.resource("x://1", { name: "one" }, () => "");
  return server;
}

describe.each(entries)("with the token that opened it ends, $name:", (entry) => {
  it("the stream beside the requests of a session, which a new token resumes", async () => {
    const server = createProtected();
    const { url } = await open(entry, server, { auth, publicUrl });
    const session = await openSession(url, "2025-11-25", { headers: as(3600) });
    await session.ask("resources/subscribe", { uri: "x://1" });
    const events = await new RawSession(url, session.id, "2025-11-25", as(60)).listen();
    vi.advanceTimersByTime(50_000);
    void server.resources.updated("x://1");
    const told = await events.message();
    expect(told).toMatchObject({ params: { uri: "x://1" } });
    vi.advanceTimersByTime(20_000);
    expect(await events.rest()).toEqual([]);
    void server.resources.updated("x://1");
    const again = await new RawSession(url, session.id, "2025-11-25", as(600)).listen();
    expect(await again.message()).toMatchObject({ params: { uri: "x://1" } });
    again.cut();
  });

  it("a subscription of 2026-07-28, without a result, so that the client comes back", async () => {
    const server = createProtected();
    const { url } = await open(entry, server, { auth, publicUrl });
    const notifications = { resourceSubscriptions: ["x://1"] };
    const answer = await askNewest(url, "subscriptions/listen", { notifications }, { headers: as(60) });
    const events = answer.events();
    expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    vi.advanceTimersByTime(50_000);
    void server.resources.updated("x://1");
    expect(await events.message()).toMatchObject({ method: "notifications/resources/updated" });
    vi.advanceTimersByTime(20_000);
    expect(await events.messages()).toEqual([]);
  });

  it("the stream of HTTP+SSE, unless messages came with a newer one", async () => {
    const server = createProtected();
    const { origin } = await open(entry, server, { auth, publicUrl });
    const openStream = async () => {
      const events = (await exchange(`${origin}/sse`, { headers: as(60) })).events();
      return { events, messages: origin + (await events.next())?.data };
    };
    const [silent, speaking] = [await openStream(), await openStream()];
    const headers = { "content-type": "application/json", ...as(600) };
    await exchange(speaking.messages, { body: toInitialize("2024-11-05"), headers });
    expect(await speaking.events.message()).toMatchObject({ id: 0 });
    vi.advanceTimersByTime(70_000);
    expect(await silent.events.messages()).toEqual([]);
    const body = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await exchange(speaking.messages, { body, headers })).status).toBe(202);
    expect(await speaking.events.message()).toMatchObject({ id: 1 });
    vi.advanceTimersByTime(600_000);
    expect(await speaking.events.messages()).toEqual([]);
  });
});

it("a client with a new token hears of changes after its first token has expired", async () => {
  const server = createProtected();
  const [entry] = entries;
  if (entry === undefined) throw new Error("There is no entry.");
  const { url } = await open(entry, server, { auth, publicUrl });
  let seconds = 60;
  const client = await connect(url, {
    auth: { authorize: () => as(seconds), onResponse: () => "keep" },
    revisions: ["2026-07-28"],
  });
  onTestFinished(() => client.close());
  let hear = () => {};
  await client.subscribe({ resources: ["x://1"] }, () => hear());
  seconds = 3600;
  await vi.advanceTimersByTimeAsync(70_000);
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  let isHeard = false;
  void heard.then(() => {
    isHeard = true;
  });
  while (!isHeard) {
    await vi.advanceTimersByTimeAsync(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    void server.resources.updated("x://1");
  }
});
