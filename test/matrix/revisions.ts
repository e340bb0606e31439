import { describe } from "vitest";
import { createPlace, type Place, type PlaceOptions, revisionNames } from "./place.ts";
import { loadServer } from "./servers/load.ts";

export type { Opened, Place } from "./place.ts";

/**
 * Defines the same cases for every revision, over the transport in memory.
 *
 * It carries text, so that messages are encoded, sent, parsed and seen by the wire as over any other. What a
 * transport can change is a case of `describeMatrix`.
 */
export function describeRevisions(
  name: string,
  define: (place: Place<"memory">) => void,
  options: PlaceOptions = {},
): void {
  const { fixture = "full", connect } = options;
  describe(name, () => {
    for (const revision of revisionNames) {
      describe(`${revision} over memory`, () =>
        define(createPlace(revision, "memory", () => loadServer(fixture), connect)));
    }
  });
}
