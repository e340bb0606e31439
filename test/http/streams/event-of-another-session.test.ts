import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";

describe.each(entries)("$name", (entry) => {
  it("an event id of another session is refused, though both sessions have such a stream", async () => {
    const { url } = await open(entry, createFixture().server);
    const mine = await openSession(url, "2025-11-25");
    const other = await openSession(url, "2025-11-25");
    const myEvents = await (await mine.call("steps", { count: 2 })).events().rest();
    await (await other.call("steps", { count: 2 })).text();
    const refused = await other.get(myEvents[0]?.id);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
    const resumed = await mine.listen(myEvents[0]?.id);
    expect((await resumed.rest()).map(({ id }) => id)).toEqual(myEvents.map(({ id }) => id));
  });

  it("a stream that is not there is no reason to believe that the session is gone", async () => {
    const { url } = await open(entry, createFixture().server);
    const session = await openSession(url, "2025-11-25");
    const [first] = await (await session.call("steps", { count: 1 })).events().rest();
    const unknown = first?.id?.replace("r1", "r999");
    expect(unknown).not.toBe(first?.id);
    expect((await session.get(unknown)).status).toBe(400);
    const future = first?.id?.replace(/\d+$/, "999");
    expect((await session.get(future)).status).toBe(400);
  });
});
