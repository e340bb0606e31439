import { memoryState } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession, RawSession } from "../../support/http/raw-session.ts";

describe.each(entries)("a node of $name that closes", (entry) => {
  it("leaves its sessions to the nodes that share its state, with what was not read of their streams", async () => {
    const state = memoryState();
    const old = createFixture();
    const first = await open(entry, old.server, { state });
    const session = await openSession(first.url, "2025-06-18");
    await session.ask("resources/subscribe", { uri: "fixture://notes" });
    const events = await session.listen();
    void old.server.resources.updated("fixture://notes");
    const told = await events.next();
    expect(told?.id).toBeDefined();
    await first.close(0);
    expect(await events.next()).toEqual({ retry: 1000 });
    expect(await events.next()).toBeUndefined();

    const second = await open(entry, createFixture().server, { state });
    const moved = new RawSession(second.url, session.id, "2025-06-18");
    expect((await (await moved.call("echo", { text: "still here" })).result()).result).toMatchObject({
      content: [{ text: "still here" }],
    });
    const rest = await moved.get(told?.id);
    expect(rest.status).toBe(200);
    rest.cut();
    expect((await moved.delete()).status).toBe(204);
    expect((await moved.ask("ping")).status).toBe(404);
  });
});
