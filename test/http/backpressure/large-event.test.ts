import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

const bytes = 3 * 1024 * 1024;
const eventsOnly = { headers: { accept: "text/event-stream" } };

describe.each(entries)("$name", (entry) => {
  it("sends one event that is larger than the queue of a slow reader may be", async () => {
    const { url } = await open(entry, createFixture().server);
    const alone = await callNewest(url, "big", { bytes }, eventsOnly);
    expect(alone.type).toBe("text/event-stream");
    expect((await alone.result()).result.content[0].text).toHaveLength(bytes);

    const session = await openSession(url, "2025-11-25");
    const inSession = await session.call("big", { bytes }, eventsOnly);
    expect((await inSession.result()).result.content[0].text).toHaveLength(bytes);
  });
});
