import { describe, expect, it } from "vitest";
import { streamStart } from "../../src/http.ts";
import { backends } from "../cluster/backends.ts";

const shared = backends.filter(({ name }) => name !== "memory");

// All events of a server go through one stream, and clients must find their place in it after a minute.
describe.each(shared)("a stream in $name", ({ isThere, share }) => {
  it.skipIf(!isThere)("keeps a minute of a thousand small events a second", { timeout: 60_000 }, async () => {
    const { events } = await share()();
    for (let second = 0; second < 60; second++) {
      const texts = Array.from({ length: 1_000 }, (_, at) => `event ${at} of second ${second}`);
      await events.append("busy", texts, 60_000);
    }
    expect(await events.after("busy", streamStart, 1)).toMatchObject([{ text: "event 0 of second 0" }]);
    await events.remove("busy");
  });
});
