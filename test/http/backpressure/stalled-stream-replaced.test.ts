import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";

describe.each(entries)("$name", (entry) => {
  it("a reader that takes nothing does not hold up the one that replaces it", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const uri = `fixture://${"x".repeat(60_000)}`;
    await session.ask("resources/subscribe", { uri });
    const stalled = await session.get();
    stalled.stream.pause();
    for (let update = 0; update < 200; update++) void server.resources.updated(uri);

    const fresh = await session.listen();
    await session.ask("resources/subscribe", { uri: "fixture://notes" });
    void server.resources.updated("fixture://notes");
    const told: unknown[] = [];
    for (let message = await fresh.message(); message; message = await fresh.message()) {
      told.push((message.params as { uri: string }).uri);
      if (told.at(-1) === "fixture://notes") break;
    }
    expect(told.at(-1)).toBe("fixture://notes");
    stalled.cut();
    fresh.cut();
  });
});
