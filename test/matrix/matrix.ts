import { fileURLToPath } from "node:url";
import type { RevisionName } from "allspeak";
import { type Client, type ConnectOptions, connect, type Target } from "allspeak/client";
import { afterAll, afterEach, beforeEach, describe, expect } from "vitest";
import { type InProcessName, inProcessNames, reachInProcess } from "./in-process.ts";
import { type FixtureName, loadServer } from "./servers/load.ts";
import { Wire } from "./wire.ts";

export const revisionNames = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
] as const satisfies readonly RevisionName[];

export type TransportName = InProcessName | "stdio";
export const transportNames: readonly TransportName[] = [...inProcessNames, "stdio"];

export interface Opened {
  readonly client: Client;
  readonly wire: Wire;
  /** What the client found wrong without failing. A test that expects any takes them out. */
  readonly problems: Error[];
}

/** Where a case runs: in one revision, over one transport. */
export interface Place {
  readonly revision: RevisionName;
  readonly transport: TransportName;
  /** Whether a call is cancelled by closing the stream of its answer, without a word. */
  readonly closesStreams: boolean;
  /**
   * Connects to the fixture server.
   *
   * Without options the connection is shared by all cases of this place, and its wire starts empty.
   */
  open(options?: ConnectOptions): Promise<Opened>;
  /** What this revision does: the entry of the newest revision that is not newer. */
  since<T>(table: { readonly [revision in RevisionName]?: T }): T;
}

export interface MatrixOptions {
  /** Which fixture server is talked to. Default: the full one. */
  readonly fixture?: FixtureName;
  /** What to talk to instead of a fixture server. */
  readonly target?: (transport: TransportName) => Target | Promise<Target>;
  /** How the shared connection is made. */
  readonly connect?: ConnectOptions;
}

/** Defines the same cases for every revision and every transport. */
export function describeMatrix(
  name: string,
  define: (place: Place) => void,
  options: MatrixOptions = {},
): void {
  describe(name, () => {
    for (const transport of transportNames) {
      for (const revision of spokenOver(transport)) {
        describe(`${revision} over ${transport}`, () => define(createPlace(revision, transport, options)));
      }
    }
  });
}

/** HTTP+SSE belongs to the one revision; everything else carries all of them. */
function spokenOver(transport: TransportName): readonly RevisionName[] {
  return transport === "sse" ? ["2024-11-05"] : revisionNames;
}

function createPlace(revision: RevisionName, transport: TransportName, options: MatrixOptions): Place {
  const { fixture = "full", connect: common } = options;
  const reach = options.target ?? ((kind: TransportName) => toTarget(fixture, kind));
  const connections: Opened[] = [];
  let shared: Opened | undefined;

  const connectTo = async (given?: ConnectOptions): Promise<Opened> => {
    const opened = await openAt(await reach(transport), { ...common, ...given, revisions: [revision] });
    connections.push(opened);
    return opened;
  };
  const closeAll = async (all: Opened[]) => {
    await Promise.all(all.splice(0).map(({ client }) => client.close()));
  };

  beforeEach(() => {
    shared?.wire.clear();
  });
  afterEach(async () => {
    const problems = connections.flatMap((connection) => connection.problems);
    const own = connections.filter((connection) => connection !== shared);
    await closeAll(own);
    connections.splice(0, connections.length, ...(shared ? [shared] : []));
    expect(problems, "problems that the client reported").toEqual([]);
  });
  afterAll(() => closeAll(connections));

  return {
    revision,
    transport,
    closesStreams: revision === "2026-07-28" && (transport === "http" || transport === "fetch handler"),
    open: async (given) => {
      if (given) return connectTo(given);
      if (shared) return shared;
      shared = await connectTo();
      shared.wire.clear();
      return shared;
    },
    since: (table) => valueSince(revision, table),
  };
}

const childMain = fileURLToPath(new URL("../../build/test/matrix/servers/main.js", import.meta.url));

/** How a fixture server is started as a process. */
export function childCommand(fixture: FixtureName): { command: string; args: string[] } {
  return { command: process.execPath, args: [childMain, fixture] };
}

export async function toTarget(fixture: FixtureName, transport: TransportName): Promise<Target> {
  return transport === "stdio" ? childCommand(fixture) : reachInProcess(await loadServer(fixture), transport);
}

async function openAt(target: Target, options: ConnectOptions): Promise<Opened> {
  const wire = new Wire();
  const problems: Error[] = [];
  const client = await connect(target, {
    onMessage: wire.tap,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  return { client, wire, problems };
}

function valueSince<T>(revision: RevisionName, table: { readonly [name in RevisionName]?: T }): T {
  const name = revisionNames.findLast((candidate) => candidate <= revision && candidate in table);
  if (name === undefined) throw new Error(`The table says nothing of ${revision}.`);
  return table[name] as T;
}
