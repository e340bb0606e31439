import { expect, it } from "vitest";
import { memoryState, streamStart } from "../../../src/http.ts";

it("memory keeps only so much of all streams together, the newest", () => {
  const { events } = memoryState({ maxTotalChars: 1000 });
  for (let stream = 0; stream < 100; stream++) void events.append(`s${stream}`, ["x".repeat(100)], 60_000);
  const kept = Array.from({ length: 100 }, (_, stream) => events.after(`s${stream}`, streamStart));
  expect(kept.filter((of) => Array.isArray(of) && of.length > 0)).toHaveLength(10);
  expect(kept.at(-1)).toHaveLength(1);
});
