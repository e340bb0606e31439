import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession } from "../support/http/raw-session.ts";
import { callNewest } from "../support/http/stateless-request.ts";

describe.each(entries)("a call of $name is cancelled", (entry) => {
  it("in the newest revision by closing the connection, before and after the first event", async () => {
    const { server, started, aborted, idle } = createFixture();
    const { url } = await open(entry, server);
    const controller = new AbortController();
    const silent = callNewest(url, "wait", { name: "silent" }, { signal: controller.signal });
    await started.next();
    controller.abort();
    await expect(silent).rejects.toThrow();
    expect(await aborted.next()).toBe("silent");

    const talking = await callNewest(
      url,
      "wait",
      { name: "talking", talk: true },
      { meta: { progressToken: 1 } },
    );
    await started.next();
    talking.cut();
    expect(await aborted.next()).toBe("talking");
    await idle();
  });

  it("in the newest revision by nothing else: ids belong to one connection", async () => {
    const { server, started, release, aborted } = createFixture();
    const { url } = await open(entry, server);
    const answer = callNewest(url, "wait", { name: "mine" });
    await started.next();
    const session = await openSession(url, "2025-06-18");
    await session.notify("notifications/cancelled", { requestId: 1 });
    release("mine");
    expect((await (await answer).json()).result.content[0].text).toBe("released mine");
    expect(aborted.drain()).toEqual([]);
  });

  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])("in %s by a notification", async (revision) => {
    const { server, started, aborted, running } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, revision);
    const answer = session.call("wait", { name: "held" }, { id: 0 });
    await started.next();
    const told = await session.notify("notifications/cancelled", { requestId: 0, reason: "enough" });
    expect(told.status).toBe(202);
    expect(await aborted.next()).toBe("held");
    await (await answer).text();
    expect(running()).toBe(0);
  });

  it("never by another session, nor under an id of another type", async () => {
    const { server, started, aborted, release } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const other = await openSession(url, "2025-06-18");
    const answer = session.call("wait", { name: "held" }, { id: 1 });
    await started.next();
    await other.notify("notifications/cancelled", { requestId: 1 });
    await session.notify("notifications/cancelled", { requestId: "1" });
    release("held");
    expect((await (await answer).result()).result.content[0].text).toBe("released held");
    expect(aborted.drain()).toEqual([]);
  });

  it("in a session when its client is gone before anything was said, for then nobody can come back", async () => {
    const { server, started, aborted } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-11-25");
    const controller = new AbortController();
    const answer = session.call("wait", { name: "gone" }, { signal: controller.signal });
    await started.next();
    controller.abort();
    await expect(answer).rejects.toThrow();
    expect(await aborted.next()).toBe("gone");
  });

  it("in a session not by a lost stream, until nobody came back for too long", async () => {
    const { server, started, aborted, release } = createFixture();
    const { url } = await open(entry, server, { sessions: { resumeMs: 200 } });
    const session = await openSession(url, "2025-11-25");
    const answer = await session.call("wait", { name: "lost", talk: true });
    await started.next();
    answer.cut();
    expect(await aborted.next()).toBe("lost");
    release("lost");
    expect((await session.ask("ping")).status).toBe(200);
  });
});
