import { expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { createFixture } from "../support/http/fixture.ts";
import { askNewest } from "../support/http/stateless-request.ts";

it.each(entries)("many open subscriptions of $name are no reason for a warning", async (entry) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const { url, close } = await open(entry, createFixture().server);
  const streams = await Promise.all(
    Array.from({ length: 40 }, async (_, id) => {
      const answer = await askNewest(
        url,
        "subscriptions/listen",
        { notifications: { toolsListChanged: true } },
        { id },
      );
      return answer.events();
    }),
  );
  await Promise.all(streams.map((events) => events.message()));
  const closed = close();
  const last = await Promise.all(streams.map((events) => events.message()));
  expect(last.map((message) => message?.id)).toEqual(streams.map((_, id) => id));
  await closed;
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
