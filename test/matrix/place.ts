import type { RevisionName } from "allspeak";
import { type Client, type ConnectOptions, connect, type Target } from "allspeak/client";
import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { WireCheck } from "../support/wire-schema/wire-check.ts";
import type { FixtureName } from "./servers/load.ts";
import { Wire } from "./wire.ts";

export const revisionNames = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
] as const satisfies readonly RevisionName[];

const overStreamableHttp: ReadonlySet<string> = new Set(["http", "fetch handler", "three nodes"]);

export interface Opened {
  readonly client: Client;
  readonly wire: Wire;
  /** What the client found wrong without failing. A test that expects any takes them out. */
  readonly problems: Error[];
}

/** Where a case runs: in one revision, over one transport. */
export interface Place<Transport extends string = string> {
  /** Tells this place from the others, for what a case leaves at the server. */
  readonly name: string;
  readonly revision: RevisionName;
  readonly transport: Transport;
  /** Whether a call is cancelled by closing the stream of its answer, without a word. */
  readonly closesStreams: boolean;
  /**
   * Connects to the fixture server.
   *
   * Without options the connection is shared by all cases of this place, and its wire starts empty.
   */
  open(options?: ConnectOptions): Promise<Opened>;
  /** A pattern of the words of a server whose client can't be asked, because a revision lacks that. */
  readonly cantAsk: RegExp;
  /** What this revision does: the entry of the newest revision that is not newer. */
  since<T>(table: { readonly [revision in RevisionName]?: T }): T;
}

export interface PlaceOptions {
  /** The fixture server of the cases. Default: the full one. */
  readonly fixture?: FixtureName;
  /** How the shared connection is made. */
  readonly connect?: ConnectOptions;
}

export interface PlaceParts<Transport extends string> {
  readonly name: string;
  readonly revision: RevisionName;
  readonly transport: Transport;
  readonly reach: () => Target | Promise<Target>;
  /** How the shared connection is made. */
  readonly connect?: ConnectOptions | undefined;
  /** Default: the revision of the client lacks it. */
  readonly cantAsk?: RegExp | undefined;
  /** The revision whose entry of a table holds for the running case. Default: that of the client. */
  readonly knownRevision?: (() => RevisionName) | undefined;
}

/** The place of one revision and transport, whose connections are closed when its cases are over. */
export function createPlace<Transport extends string>(parts: PlaceParts<Transport>): Place<Transport> {
  const { name, revision, transport, reach, connect: common, knownRevision = () => revision } = parts;
  const { cantAsk = new RegExp(` does not exist in revision ${revision}\\.$`) } = parts;
  const connections: Opened[] = [];
  let shared: Opened | undefined;

  const connectTo = async (given?: ConnectOptions): Promise<Opened> => {
    const opened = await openAt(await reach(), { ...common, ...given, revisions: [revision] });
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
    name,
    revision,
    transport,
    closesStreams: revision === "2026-07-28" && overStreamableHttp.has(transport),
    open: async (given) => {
      if (given) return connectTo(given);
      if (shared) return shared;
      shared = await connectTo();
      shared.wire.clear();
      return shared;
    },
    cantAsk,
    since: (table) => valueSince(knownRevision(), table),
  };
}

async function openAt(target: Target, options: ConnectOptions): Promise<Opened> {
  const wire = new Wire();
  const check = new WireCheck("client", "server");
  const problems: Error[] = [];
  const client = await connect(target, {
    onProblem: (problem) => problems.push(problem),
    ...options,
    onMessage: (message, direction) => {
      check.tap(message, direction);
      wire.tap(message, direction);
      options.onMessage?.(message, direction);
    },
  });
  return { client, wire, problems };
}

function valueSince<T>(revision: RevisionName, table: { readonly [name in RevisionName]?: T }): T {
  const name = revisionNames.findLast((candidate) => candidate <= revision && candidate in table);
  if (name === undefined) throw new Error(`The table says nothing of ${revision}.`);
  return table[name] as T;
}
