import { fileURLToPath } from "node:url";
import type { RevisionName } from "allspeak";
import type { Target } from "allspeak/client";
import { describe } from "vitest";
import { describeThroughBridge, elsewhere, inMemory, isThroughBridge } from "./bridge/through-bridge.ts";
import { type InProcessName, inProcessNames, reachInProcess } from "./in-process.ts";
import { describeAtNodes, isAtNodes } from "./nodes/at-nodes.ts";
import { createPlace, type Place, type PlaceOptions, revisionNames } from "./place.ts";
import { type FixtureName, loadServer } from "./servers/load.ts";

export { type Opened, revisionNames } from "./place.ts";

export type TransportName = InProcessName | "stdio";
export const transportNames: readonly TransportName[] = [...inProcessNames, "stdio"];

export type MatrixPlace = Place<TransportName>;

export interface MatrixOptions extends PlaceOptions {
  /** What to talk to instead of a fixture server. */
  readonly target?: (transport: TransportName) => Target | Promise<Target>;
  /** The places that are worth a run. Default: every revision over every transport that carries it. */
  readonly where?: (revision: RevisionName, transport: TransportName) => boolean;
}

/**
 * Defines the same cases for every revision and every transport.
 *
 * Only for what a transport can change: framing, streams, sessions, the way back to the client, the end of a
 * connection. Everything else is a case of `describeRevisions`.
 */
export function describeMatrix(
  name: string,
  define: (place: MatrixPlace) => void,
  options: MatrixOptions = {},
): void {
  const { fixture = "full", where = () => true, connect } = options;
  const target = options.target ?? ((transport: TransportName) => toTarget(fixture, transport));
  if (isThroughBridge)
    return describeThroughBridge(name, define, {
      reach: target,
      connect,
      routes: [...inMemory, ...elsewhere],
    });
  if (isAtNodes) return describeAtNodes(name, define, { load: () => loadServer(fixture), connect });
  describe(name, () => {
    for (const transport of transportNames) {
      for (const revision of spokenOver(transport).filter((each) => where(each, transport))) {
        const place = `${revision} over ${transport}`;
        const reach = () => target(transport);
        describe(place, () => define(createPlace({ name: place, revision, transport, reach, connect })));
      }
    }
  });
}

/** HTTP+SSE belongs to the one revision; everything else carries all of them. */
function spokenOver(transport: TransportName): readonly RevisionName[] {
  return transport === "sse" || transport === "three nodes with sse" ? ["2024-11-05"] : revisionNames;
}

const childMain = fileURLToPath(new URL("../../build/test/matrix/servers/main.js", import.meta.url));

/** How a fixture server is started as a process. */
export function childCommand(fixture: FixtureName): { command: string; args: string[] } {
  return { command: process.execPath, args: [childMain, fixture] };
}

export async function toTarget(fixture: FixtureName, transport: TransportName): Promise<Target> {
  return transport === "stdio" ? childCommand(fixture) : reachInProcess(await loadServer(fixture), transport);
}
