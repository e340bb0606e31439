import { describe, expect, it } from "vitest";
import { Counter } from "../../support/counter.ts";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { openNodes } from "../nodes.ts";

describe("a node that closes while others go on", () => {
  it("has its readers come back elsewhere, and lets its calls finish for them", async () => {
    const { nodes } = await openNodes({ sessions: { retryMs: 10 } });
    const [a, b, c] = nodes;
    const session = await openSession(a.url, "2025-11-25");
    const standalone = await session.listen();
    const priming = await standalone.next();
    const call = (await session.call("wait", { name: "held", talk: true }, { id: 3 })).events();
    const first = await call.next();
    await a.started.next();
    const closing = a.close(20_000);
    expect((await standalone.rest()).at(-1)).toEqual({ retry: 10 });
    expect((await call.rest()).at(-1)).toEqual({ retry: 10 });
    const events = await new RawSession(b.url, session.id, "2025-11-25").listen(priming?.id);
    const rest = await new RawSession(c.url, session.id, "2025-11-25").listen(first?.id);
    expect(await rest.message()).toMatchObject({ params: { progress: 1 } });
    c.server.tool("later", "A tool that comes later", () => "now");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    a.release("held");
    expect(await rest.messages()).toMatchObject([
      { id: 3, result: { content: [{ text: "released held" }] } },
    ]);
    await closing;
    events.cut();
  });

  it("tells requests that still come to try again, until its balancer has learned of it", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, "2025-06-18");
    const closing = a.close(5_000);
    await b.server.resources.updated("fixture://notes");
    const late = await session.call("echo", { text: "late" });
    expect([late.status, late.headers["retry-after"]]).toEqual([503, "1"]);
    await closing;
    const elsewhere = new RawSession(b.url, session.id, "2025-06-18");
    expect((await elsewhere.call("echo", { text: "late" })).status).toBe(200);
  });

  it("loses no call, when all nodes are replaced one after the other", async () => {
    const { nodes, balancer, state } = await openNodes();
    const sessions = await Promise.all(
      Array.from({ length: 6 }, () => openSession(balancer.url, "2025-06-18")),
    );
    let isOver = false;
    const refused: unknown[] = [];
    const answered = new Counter();
    const calling = sessions.map(async (session) => {
      for (let count = 0; !isOver; count++) {
        let answer = await session.call("echo", { text: `${count}` });
        // A node that closes while a request is under way to it says so, and has not run it.
        while (answer.status === 503 && answer.headers["retry-after"] !== undefined)
          answer = await session.call("echo", { text: `${count}` });
        const { result } = await answer.result();
        if (result?.content?.[0]?.text !== `${count}`) refused.push(answer.status);
        answered.add(1);
      }
    });
    for (const old of nodes) {
      const [next] = (await openNodes({ state })).nodes;
      balancer.nodes.push(next.origin);
      balancer.nodes.splice(balancer.nodes.indexOf(old.origin), 1);
      await old.close(5_000);
      await answered.reached(answered.value + 30);
    }
    isOver = true;
    await Promise.all(calling);
    expect(refused).toEqual([]);
  }, 60_000);
});
