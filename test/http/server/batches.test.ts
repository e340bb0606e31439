import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";

interface Reply {
  readonly id: number | null;
  readonly result?: { content?: { text: string }[] };
  readonly error?: { code: number };
}

const echo = (id: number, text: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "echo", arguments: { text } },
});
const ready = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 9, progress: 1 } };
const byId = (replies: Reply[]) => replies.toSorted((a, b) => Number(a.id) - Number(b.id));

describe.each(entries)("$name and batches of 2025-03-26", (entry) => {
  it("answers the requests of a batch together, as JSON", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-03-26");
    const answer = await session.post([echo(1, "one"), ready, echo(2, "two")]);
    expect([answer.status, answer.type]).toEqual([200, "application/json"]);
    const replies = byId(await answer.json());
    expect(replies.map(({ id, result }) => [id, result?.content?.[0]?.text])).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
  });

  it("answers a batch of one request with a batch", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-03-26");
    expect(await (await session.post([echo(1, "one")])).json()).toMatchObject([{ id: 1 }]);
  });

  it("answers as a stream when one of the handlers has something to say", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-03-26");
    const steps = {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "steps", arguments: { count: 2 }, _meta: { progressToken: 2 } },
    };
    const answer = await session.post([echo(1, "one"), steps, echo(3, "three")]);
    expect(answer.type).toBe("text/event-stream");
    const messages = await answer.events().messages<Reply & { method?: string }>();
    expect(messages.filter(({ method }) => method)).toHaveLength(2);
    const replies = byId(messages.filter(({ method }) => method === undefined));
    expect(replies.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it("accepts a batch that wants no answer", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-03-26");
    const answer = await session.post([ready, { jsonrpc: "2.0", id: 1, result: {} }]);
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  it("answers what can't be read beside what can", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-03-26");
    const replies: Reply[] = await (
      await session.post([echo(1, "one"), 5, { jsonrpc: "2.0", id: {} }])
    ).json();
    expect(replies.map(({ id, error }) => [id, error?.code])).toEqual(
      expect.arrayContaining([
        [1, undefined],
        [null, -32600],
        [null, -32600],
      ]),
    );
  });

  it("refuses to open a session in a batch, an empty batch, and one that is too long", async () => {
    const { server, entered } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-03-26");
    const opening = await session.post([{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }]);
    expect(await opening.json()).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    for (const batch of [[], Array.from({ length: 101 }, (_, id) => echo(id, "x"))]) {
      const answer = await session.post(batch);
      expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32600]);
    }
    expect(entered()).toBe(0);
  });

  it.each(["2025-06-18", "2025-11-25"])("refuses batches in %s", async (revision) => {
    const { server, entered } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, revision);
    const answer = await session.post([echo(1, "one")]);
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32600]);
    expect(entered()).toBe(0);
  });
});
