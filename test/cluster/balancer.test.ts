import { describe, expect, it } from "vitest";
import { openBalancer, pickInTurn } from "../support/balancer.ts";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";

const [entry] = entries;
if (entry === undefined) throw new Error("There is no way to serve.");

describe("the balancer of the tests", () => {
  it("passes events on as they come, and a broken connection, too", async () => {
    const { server, started, aborted } = createFixture();
    const node = await open(entry, server);
    const balancer = await openBalancer([node.origin]);
    const session = await openSession(balancer.url, "2025-06-18");
    const events = (await session.call("wait", { name: "held", talk: true })).events();
    expect(await events.message()).toMatchObject({ params: { progress: 1 } });
    await started.next();
    await new RawSession(balancer.url, session.id, "2025-06-18").delete();
    expect(await aborted.next()).toBe("held");
  });

  it("sends one request after the other to the next node, and leaves out one that is gone", async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => open(entry, createFixture().server)));
    const origins = nodes.map(({ origin }) => origin);
    const balancer = await openBalancer(origins, { pick: pickInTurn() });
    for (const _ of origins) expect((await exchange(`${balancer.origin}/health`)).status).toBe(200);
    expect(balancer.picked).toEqual(origins);
    await nodes[0]?.close(0);
    expect((await exchange(`${balancer.origin}/health`)).status).toBe(200);
    expect(balancer.picked.at(-1)).toBe(origins[1]);
  });
});
