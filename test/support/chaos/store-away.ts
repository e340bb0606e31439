import { openSession, RawSession } from "../http/raw-session.ts";
import { callNewest } from "../http/stateless-request.ts";
import type { ChaosCluster } from "./chaos-cluster.ts";
import { pause } from "./pause.ts";

/** A way in which the store of a cluster goes away, and comes back. */
export interface StoreOutage {
  readonly how: string;
  leave(cluster: ChaosCluster): unknown;
  back(cluster: ChaosCluster): unknown;
}

export const storeOutages: readonly StoreOutage[] = [
  { how: "is killed", leave: ({ store }) => store?.kill(), back: ({ store }) => store?.start() },
  {
    how: "can't be reached",
    leave: ({ ways }) => ways.map((way) => way.blackHole()),
    back: ({ ways }) => ways.map((way) => way.heal()),
  },
];

/** What callers saw while the store was away. */
export interface StoreAway {
  /** The calls without a session that were not answered as usual. */
  readonly failedStateless: readonly string[];
  readonly stateless: number;
  /** The answers to requests of a session. */
  readonly inSession: readonly Refusal[];
  /** The time from the return of the store until all nodes served the session again. */
  readonly backAfterMs: number;
}

export interface Refusal {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly tookMs: number;
}

const headers = { "x-user": "anna" };
/** The least number of requests that are refused meanwhile, however long each takes. */
const minRefusals = 3;
/** The time after which nobody waits any more for nodes to recover. */
const patienceMs = 30_000;

/** Takes the store away from a cluster for a time at least, and calls with a session and without one meanwhile. */
export async function runStoreAway(
  cluster: ChaosCluster,
  { leave, back }: StoreOutage,
  awayMs: number,
): Promise<StoreAway> {
  const { balancer, nodes } = cluster;
  const session = await openWhenReady(balancer.url);
  const atNodes = nodes.map(
    ({ port }) => new RawSession(`http://127.0.0.1:${port}/mcp`, session.id, session.revision, headers),
  );
  const isBack = async () => (await Promise.all(atNodes.map(ping))).every(({ status }) => status === 200);
  if (!(await isBack())) throw new Error("The nodes do not serve the session before the store goes away.");
  await leave(cluster);
  const endAt = performance.now() + awayMs;
  const inSession: Refusal[] = [];
  const failedStateless: string[] = [];
  let stateless = 0;
  while (performance.now() < endAt || inSession.length < minRefusals) {
    const answer = await (await callNewest(balancer.url, "echo", { id: "a" }, { headers })).text();
    stateless++;
    if (!answer.includes('"echo":"a"')) failedStateless.push(answer);
    inSession.push(await ping(session));
    await pause(50);
  }
  await back(cluster);
  const backAt = performance.now();
  while (performance.now() - backAt < patienceMs && !(await isBack()));
  return { failedStateless, stateless, inSession, backAfterMs: performance.now() - backAt };
}

/** The promises that were broken while the store was away, and after it. */
export function brokenWhileAway({ failedStateless, inSession, backAfterMs }: StoreAway): readonly string[] {
  const odd = inSession.filter(
    ({ status, retryAfter, tookMs }) => status !== 503 || !(Number(retryAfter) > 0) || tookMs >= 1_000,
  );
  return [
    ...failedStateless.map((answer) => `a call without a session got ${answer}`),
    ...odd.map((answer) => `a request of a session got ${JSON.stringify(answer)}`),
    ...(backAfterMs < 5_000 ? [] : [`the session was served again after ${Math.round(backAfterMs)} ms`]),
  ];
}

/** Opens a session; a store that others keep busy may refuse it for a while. */
async function openWhenReady(url: string): Promise<RawSession> {
  const endAt = performance.now() + patienceMs;
  for (;;)
    try {
      return await openSession(url, "2025-06-18", { headers });
    } catch (error) {
      if (performance.now() > endAt) throw error;
      await pause(500);
    }
}

async function ping(session: RawSession): Promise<Refusal> {
  const startedAt = performance.now();
  const answer = await session.ask("ping");
  await answer.text();
  const tookMs = performance.now() - startedAt;
  return { status: answer.status, retryAfter: answer.headers["retry-after"], tookMs };
}
