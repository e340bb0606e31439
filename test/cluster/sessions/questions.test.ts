import { describe, expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { openNodes } from "../nodes.ts";

interface Question {
  readonly id: string;
  readonly method: string;
  readonly params: { readonly _meta?: { readonly progressToken?: string } };
}

describe.each(["2025-06-18", "2025-11-25"] as const)("a question of %s", (revision) => {
  it("that is asked at one node is answered at another", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, revision, { capabilities: { elicitation: {} } });
    const events = (await session.call("ask")).events();
    const question = await events.message<Question>();
    expect(question?.method).toBe("elicitation/create");
    const other = new RawSession(b.url, session.id, revision);
    const answer = await other.answer(question?.id, { action: "accept", content: { seats: 4 } });
    expect(answer.status).toBe(202);
    expect(await events.message()).toMatchObject({
      result: { content: [{ text: JSON.stringify({ action: "accept", content: { seats: 4 } }) }] },
    });
  });

  it("is answered only in the session that was asked, and only once", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, revision, { capabilities: { elicitation: {} } });
    const stranger = await openSession(b.url, revision, { capabilities: { elicitation: {} } });
    const events = (await session.call("ask")).events();
    const question = await events.message<Question>();
    await stranger.answer(question?.id, { action: "accept", content: { seats: 666 } });
    const other = new RawSession(b.url, session.id, revision);
    await other.answer(question?.id, { action: "decline" });
    await other.answer(question?.id, { action: "accept", content: { seats: 5 } });
    const { result } = (await events.message<{ result: { content: [{ text: string }] } }>()) ?? {};
    expect(JSON.parse(result?.content[0].text ?? "")).toMatchObject({ action: "decline" });
  });
});

describe.each(["2025-03-26", "2025-06-18", "2025-11-25"] as const)("a call of %s", (revision) => {
  it("is cancelled by a notification to another node", async () => {
    const { nodes } = await openNodes();
    const [a, b] = nodes;
    const session = await openSession(a.url, revision);
    const answer = session.call("wait", { name: "held", talk: true }, { id: 7 });
    expect(await a.started.next()).toBe("held");
    const other = new RawSession(b.url, session.id, revision);
    await other.notify("notifications/cancelled", { requestId: 7, reason: "too slow" });
    expect(await a.aborted.next()).toBe("held");
    (await answer).cut();
  });
});
