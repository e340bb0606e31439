import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession } from "../support/http/raw-session.ts";

const revisions = ["2025-03-26", "2025-06-18", "2025-11-25"];

describe.each(entries)("$name", (entry) => {
  it.each(revisions)("says nothing more of a call that its client has cancelled, in %s", async (revision) => {
    const { server, started, aborted } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, revision);
    const silent = session.call("wait", { name: "silent" }, { id: 7 });
    await started.next();
    await session.notify("notifications/cancelled", { requestId: 7 });
    expect(await aborted.next()).toBe("silent");
    const answer = await silent;
    expect([answer.status, await answer.text()]).toEqual([202, ""]);

    const events = (await session.call("wait", { name: "talking", talk: true }, { id: 8 })).events();
    await started.next();
    await session.notify("notifications/cancelled", { requestId: 8 });
    expect(await events.messages()).toMatchObject([{ method: "notifications/progress" }]);
  });

  it("leaves a cancelled call out of the answer to its batch", async () => {
    const { server, started } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-03-26");
    const params = { name: "wait", arguments: { name: "held" } };
    const answer = session.post([
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params },
    ]);
    await started.next();
    await session.notify("notifications/cancelled", { requestId: 2 });
    expect(await (await answer).json()).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("sends clients away that come back for more of a stream that has come to its end", async () => {
    const { server, started } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-11-25");
    const finished = await (await session.call("steps", { count: 1 })).events().rest();
    const cancelled = (await session.call("wait", { name: "x", talk: true }, { id: 8 })).events();
    await started.next();
    await session.notify("notifications/cancelled", { requestId: 8 });
    for (const id of [finished.at(-1)?.id, (await cancelled.rest()).at(-1)?.id]) {
      const answer = await session.get(id);
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
    }
  });
});
