import { afterEach, describe, expect, it, vi } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";

afterEach(() => vi.useRealTimers());

describe.each(entries)("$name", (entry) => {
  it("a session is idle from when it was last in use, not from when the last request came", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server, { sessions: { idleMs: 60_000 } });
    const session = await openSession(url, "2025-06-18");
    const answer = session.call("wait", { name: "long" });
    await started.next();
    vi.advanceTimersByTime(100_000);
    release("long");
    expect((await (await answer).result()).result.content[0].text).toBe("released long");
    vi.advanceTimersByTime(40_000);
    expect((await session.ask("ping")).status).toBe(200);
    vi.advanceTimersByTime(100_000);
    expect((await session.ask("ping")).status).toBe(404);
  });
});
