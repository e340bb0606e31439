import { expect, it } from "vitest";
import { openSession, RawSession } from "../../http/raw-session.ts";
import { callNewest } from "../../http/stateless-request.ts";
import type { ChaosBackend } from "../describe-chaos.ts";
import { pause } from "../pause.ts";

const timeout = 60_000;
const headers = { "x-user": "anna" };
/** The least time that the store is away; the long form of the promise says 60 s. */
const awayMs = 1_500;
/** The least number of requests that are refused meanwhile, however long each takes. */
const minRefusals = 3;

/** D6: the store goes away, and comes back. */
export function describeStoreRows({ cluster }: ChaosBackend): void {
  it.each([
    { how: "is killed", leave: () => cluster().store?.kill(), back: () => cluster().store?.start() },
    {
      how: "can't be reached",
      leave: () => cluster().ways.map((way) => way.blackHole()),
      back: () => cluster().ways.map((way) => way.heal()),
    },
  ])(
    "D6: while the store $how, calls without a session go on, others are told within a second to come back, and do within five",
    {
      timeout,
    },
    async ({ leave, back }) => {
      const { balancer, nodes } = cluster();
      const session = await openSession(balancer.url, "2025-06-18", { headers });
      const atNodes = nodes.map(
        ({ port }) => new RawSession(`http://127.0.0.1:${port}/mcp`, session.id, session.revision, headers),
      );
      const isBack = async () => (await Promise.all(atNodes.map(ping))).every(({ status }) => status === 200);
      expect(await isBack()).toBe(true);
      await leave();
      const endAt = performance.now() + awayMs;
      const refusals: Outcome[] = [];
      while (performance.now() < endAt || refusals.length < minRefusals) {
        const stateless = await callNewest(balancer.url, "echo", { id: "a" }, { headers });
        expect((await stateless.result()).result).toMatchObject({ structuredContent: { echo: "a" } });
        refusals.push(await ping(session));
        await pause(50);
      }
      await back();
      const backAt = performance.now();
      while (!(await isBack())) expect(performance.now() - backAt).toBeLessThan(5_000);
      for (const { status, retryAfter, tookMs } of refusals) {
        expect(status).toBe(503);
        expect(Number(retryAfter)).toBeGreaterThan(0);
        expect(tookMs).toBeLessThan(1_000);
      }
    },
  );
}

interface Outcome {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly tookMs: number;
}

async function ping(session: RawSession): Promise<Outcome> {
  const startedAt = performance.now();
  const answer = await session.ask("ping");
  await answer.text();
  const tookMs = performance.now() - startedAt;
  return { status: answer.status, retryAfter: answer.headers["retry-after"], tookMs };
}
