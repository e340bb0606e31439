import type { RevisionName } from "allspeak";
import { type Bridge, openBridge } from "allspeak/bridge";
import type { ConnectOptions, Target } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, beforeEach, describe, inject } from "vitest";
import { createPlace, type Place, revisionNames } from "../place.ts";
import { findCrossing, type Pair, toCaseName } from "./crossings.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** What stands between the clients and the servers of the matrix; absent for nothing. */
    readonly through?: "bridge";
  }
}

/** Whether this project runs the cases through a bridge. */
export const isThroughBridge: boolean = inject("through") === "bridge";

/** Whether excepted cases are run, and no others: each of them must fail. One that hangs may leave much behind. */
const triesExceptions = process.env.ALLSPEAK_TRY_EXCEPTIONS === "1";

/** The ways of one pair: from the client to the bridge, and from the bridge to the server. */
interface Route<Near extends string> extends Pair {
  readonly near: Near;
}

/** Every pair, within this process. */
export const inMemory: readonly Route<"memory">[] = revisionNames.flatMap((client) =>
  revisionNames.map((server) => ({ client, server, near: "memory", far: "memory" }) as const),
);

/** Pairs with other processes and sockets between, for what a transport can change. */
export const elsewhere: readonly Route<"http">[] = [
  { client: "2025-11-25", server: "2026-07-28", near: "http", far: "stdio" },
  { client: "2026-07-28", server: "2025-11-25", near: "http", far: "http" },
];

interface Through<Near extends string> {
  /** The server behind the bridge. */
  readonly reach: (far: Route<Near>["far"]) => Target | Promise<Target>;
  readonly connect?: ConnectOptions | undefined;
  readonly routes: readonly Route<Near>[];
}

/** Either side may lack it: the server itself, or the client as the server sees it through the bridge. */
const cantAsk =
  /(?: does not exist in revision [\d-]+|needs the capability "[a-z.]+", which the client does not declare)\.$/;

/** Defines the same cases for clients of one revision before a bridge to a server of another. */
export function describeThroughBridge<Near extends "memory" | "http">(
  name: string,
  define: (place: Place<Near>) => void,
  { reach, connect, routes }: Through<Near>,
): void {
  describe(name, () => {
    for (const route of routes) {
      const { client, server, near, far } = route;
      const place = `${client} over ${near} through a bridge to ${server} over ${far}`;
      describe(place, () => {
        const target = useBridge(route, () => reach(far));
        const known = followCase(route, name);
        const knownRevision = () => known.revision;
        const parts = { name: place, revision: client, transport: near, connect, cantAsk, knownRevision };
        define(createPlace({ ...parts, reach: target }));
      });
    }
  });
}

/** The target of clients: a bridge that is open while the cases run. */
function useBridge({ server, near }: Route<string>, reach: () => Target | Promise<Target>): () => Target {
  let bridge: Bridge;
  let target: Target;
  let stop = async () => {};
  beforeAll(async () => {
    bridge = await openBridge(await reach(), { connect: { revisions: [server] } });
    target = bridge.server;
    if (near !== "http") return;
    const running = await serveHttp(bridge.server);
    target = running.url;
    stop = () => running.close(0);
  });
  afterAll(async () => {
    await stop();
    await bridge?.close();
  });
  return () => target;
}

/** The revision that decides what the running case sees; skips a case that can't cross. */
function followCase(pair: Pair, suite: string): { readonly revision: RevisionName } {
  const known = { revision: pair.client };
  beforeEach((context) => {
    const crossing = findCrossing(suite, toCaseName(context.task), pair);
    const isTried = crossing?.kind === "excepted" && crossing.isRace === undefined;
    if (triesExceptions && !isTried) context.skip("only exceptions are tried");
    // Shows that an exception is needed: with it, a case that passes is a failure.
    if (triesExceptions) Object.assign(context.task, { fails: true });
    else if (crossing?.kind === "excepted") {
      // Reports tell it from a test that lacks what it needs.
      Object.assign(context.task.meta, { excepted: crossing.reason });
      context.skip(crossing.reason);
    }
    known.revision = crossing ? revisionOf(crossing.kind, pair) : pair.client;
  });
  return known;
}

function revisionOf(
  kind: "by the older" | "by the server" | "excepted",
  { client, server }: Pair,
): RevisionName {
  return kind === "by the older" && client < server ? client : server;
}
