import { type Client, connect } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";
import { openSession, RawSession } from "../../http/raw-session.ts";
import type { ChaosBackend } from "../describe-chaos.ts";
import { HistoryFiles, monotonicMs } from "../history.ts";
import { pause } from "../pause.ts";

const timeout = 60_000;

/** D5 and D7: what happens to calls of a killed node, and to the streams of other principals. */
export function describeCallRows({ cluster }: ChaosBackend): void {
  it.each(["2025-06-18", "2026-07-28"] as const)(
    "D5: calls on a node that is killed fail within two seconds, and the next ones succeed (%s)",
    {
      timeout,
    },
    async (revision) => {
      const { balancer, nodes, histories } = cluster();
      const client = await open(balancer.url, revision);
      const since = monotonicMs();
      const history = new HistoryFiles(histories, since);
      const ended = new Map<string, { readonly ok: boolean; readonly at: number }>();
      const calls = Array.from({ length: 12 }, async (_, index) => {
        const id = `d5-${since}-${index}`;
        const ok = await client.tools.call("work", { id, forMs: 4_000 }, { retry: false }).then(
          () => true,
          () => false,
        );
        ended.set(id, { ok, at: monotonicMs() });
      });
      const running = () => history.read().filter((entry) => entry.kind === "attempt");
      while (running().length < calls.length) await pause(20);
      const killedAt = monotonicMs();
      await nodes[0]?.kill();
      await Promise.all(calls);
      const onKilled = running().filter(({ by }) => by === nodes[0]?.name);
      await nodes[0]?.start();
      expect(onKilled.length).toBeGreaterThan(0);
      for (const { task } of onKilled) {
        expect(ended.get(task)).toMatchObject({ ok: false });
        expect((ended.get(task)?.at ?? 0) - killedAt).toBeLessThan(2_000);
      }
      const succeeded = [...ended.values()].filter(({ ok }) => ok);
      expect(succeeded).toHaveLength(calls.length - onKilled.length);
      expect(await client.tools.call("echo", { id: "next" })).toMatchObject({
        structuredContent: { echo: "next" },
      });
    },
  );

  it("D7: the events of a session are unknown to another principal, on every node", { timeout }, async () => {
    const { balancer, nodes } = cluster();
    const anna = await openSession(balancer.url, "2025-11-25", { headers: { "x-user": "anna" } });
    const events = (await anna.call("stream", { id: `d7-${monotonicMs()}`, count: 3, everyMs: 10 })).events();
    const ids = (await events.rest()).flatMap(({ id }) => id ?? []);
    expect(ids.length).toBeGreaterThan(3);
    for (const { port } of nodes) {
      const url = `http://127.0.0.1:${port}/mcp`;
      const bert = new RawSession(url, anna.id, anna.revision, { "x-user": "bert" });
      expect((await bert.get(ids[0])).status).toBe(404);
      expect((await bert.get()).status).toBe(404);
      expect((await bert.ask("ping")).status).toBe(404);
      const again = new RawSession(url, anna.id, anna.revision, { "x-user": "anna" });
      const rest = (await again.listen(ids[0])).rest();
      expect((await rest).flatMap(({ id }) => id ?? []).slice(-2)).toEqual(ids.slice(-2));
    }
  });
}

async function open(url: string, revision: "2025-06-18" | "2026-07-28"): Promise<Client> {
  const client = await connect(url, {
    headers: { "x-user": "anna" },
    revisions: [revision],
    onProblem: () => {},
  });
  onTestFinished(() => client.close());
  return client;
}
