import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";

describe.each(entries)("$name", (entry) => {
  it("a call is aborted when the client comes back for it once and then never again", async () => {
    const { server, started, aborted } = createFixture();
    const { url } = await open(entry, server, { sessions: { resumeMs: 300 } });
    const session = await openSession(url, "2025-11-25");
    const first = (await session.call("wait", { name: "lost", talk: true })).events();
    const { id } = (await first.next()) ?? {};
    expect(await started.next()).toBe("lost");
    first.cut();
    const second = await session.listen(id);
    expect(await second.message()).toMatchObject({ method: "notifications/progress" });
    second.cut();
    expect(await aborted.next()).toBe("lost");
    expect((await session.get(id)).status).toBe(400);
  });
});
