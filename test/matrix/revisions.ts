import { describe } from "vitest";
import { describeThroughBridge, inMemory, isThroughBridge } from "./bridge/through-bridge.ts";
import { describeAtNodes, isAtNodes, type NodesTransport } from "./nodes/at-nodes.ts";
import { createPlace, type Place, type PlaceOptions, revisionNames } from "./place.ts";
import { loadServer } from "./servers/load.ts";

export type { Opened, Place } from "./place.ts";

/**
 * Defines the same cases for every revision, over the transport in memory.
 *
 * It carries text, so that messages are encoded, sent, parsed and seen by the wire as over any other. What a
 * transport can change is a case of `describeMatrix`. In the project `nodes` they run at three nodes.
 */
export function describeRevisions(
  name: string,
  define: (place: Place<"memory" | NodesTransport>) => void,
  options: PlaceOptions = {},
): void {
  const { fixture = "full", connect } = options;
  const reach = () => loadServer(fixture);
  if (isAtNodes) return describeAtNodes(name, define, { load: reach, connect });
  if (isThroughBridge) return describeThroughBridge(name, define, { reach, connect, routes: inMemory });
  describe(name, () => {
    for (const revision of revisionNames) {
      const place = `${revision} over memory`;
      describe(place, () =>
        define(createPlace({ name: place, revision, transport: "memory", reach, connect })),
      );
    }
  });
}
