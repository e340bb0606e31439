import { type Client, connect } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";
import { openSession, RawSession } from "../../http/raw-session.ts";
import type { ChaosBackend } from "../describe-chaos.ts";
import { HistoryFiles, monotonicMs } from "../history.ts";
import { pause } from "../pause.ts";

const timeout = 60_000;
const revisions = ["2025-06-18", "2026-07-28"] as const;

/** D5 and D7: what happens to calls of a killed node, and to the streams of other principals. */
export function describeCallRows({ cluster }: ChaosBackend): void {
  it("D5: calls on a node that is killed fail within two seconds, and the next ones succeed, with a session and without", {
    timeout,
  }, async () => {
    const { balancer, nodes, histories } = cluster();
    const clients = await Promise.all(revisions.map((revision) => open(balancer.url, revision)));
    const since = monotonicMs();
    const history = new HistoryFiles(histories, since);
    const ended = new Map<string, { readonly ok: boolean; readonly at: number }>();
    const call = async (client: Client, id: string) => {
      const ok = await client.tools.call("work", { id, forMs: 4_000 }, { retry: false }).then(
        () => true,
        () => false,
      );
      ended.set(id, { ok, at: monotonicMs() });
    };
    const calls = clients.flatMap((client, of) =>
      Array.from({ length: 12 }, (_, index) => call(client, `d5-${since}-${revisions[of]}-${index}`)),
    );
    const running = () => history.read().filter((entry) => entry.kind === "attempt");
    while (running().length < calls.length) await pause(20);
    const runningOn = (name: string) => running().filter(({ by }) => by === name);
    const killed = nodes.find(({ name }) =>
      revisions.every((revision) => runningOn(name).some(({ task }) => task.includes(revision))),
    );
    if (killed === undefined) throw new Error("No node runs calls of both revisions.");
    const killedAt = monotonicMs();
    await killed.kill();
    await Promise.all(calls);
    const onKilled = runningOn(killed.name);
    await killed.start();
    for (const { task } of onKilled) {
      expect(ended.get(task)).toMatchObject({ ok: false });
      expect((ended.get(task)?.at ?? 0) - killedAt).toBeLessThan(2_000);
    }
    const succeeded = [...ended.values()].filter(({ ok }) => ok);
    expect(succeeded).toHaveLength(calls.length - onKilled.length);
    for (const client of clients)
      expect(await client.tools.call("echo", { id: "next" })).toMatchObject({
        structuredContent: { echo: "next" },
      });
  });

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

async function open(url: string, revision: (typeof revisions)[number]): Promise<Client> {
  const client = await connect(url, {
    headers: { "x-user": "anna" },
    revisions: [revision],
    onProblem: () => {},
  });
  onTestFinished(() => client.close());
  return client;
}
