import { expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { openNodes } from "../nodes.ts";

const revision = "2025-06-18";
const idleMs = 1_500;

it("a session expires when no node uses it, and lives for as long as one does", async () => {
  const { nodes } = await openNodes({ sessions: { idleMs } });
  const [a, b, c] = nodes;
  const at = (session: RawSession, url: string) => new RawSession(url, session.id, revision);
  const busy = await openSession(a.url, revision);
  const answer = at(busy, b.url).call("wait", { name: "long" });
  await b.started.next();
  const listening = await openSession(a.url, revision);
  const events = await at(listening, c.url).listen();
  const idle = await openSession(a.url, revision);
  // Each look renews it, so the next one comes later than it expires.
  const look = async () => (await at(idle, c.url).ask("ping")).status;
  await expect.poll(look, { timeout: 20_000, interval: 2 * idleMs }).toBe(404);
  for (const { url } of nodes) {
    expect((await at(busy, url).ask("ping")).status).toBe(200);
    expect((await at(listening, url).ask("ping")).status).toBe(200);
  }
  b.release("long");
  expect((await (await answer).result()).result.content[0].text).toBe("released long");
  events.cut();
}, 40_000);
