import { expect, it } from "vitest";
import { WaitingQuestions } from "../../src/bridge/waiting-questions.ts";
import type { Call } from "../../src/contract/call.ts";
import { revisions } from "../../src/protocol/revisions/index.ts";

it("a question is refused at once if a call without a session leaves it unanswered after it was given back", async () => {
  const revision = revisions.find(({ version }) => version === "2025-11-25");
  const { signal } = new AbortController();
  const call = {
    revision,
    signal,
    client: { info: undefined, capabilities: { elicitation: {} } },
  } as unknown as Call;
  const questions = new WaitingQuestions(() => call);
  let leave = (_: Error) => {};
  const ask = () =>
    new Promise<never>((_, reject) => {
      leave = reject;
    });
  const detach = questions.attach({ call, ask }, call);
  const question = {
    mode: "form",
    message: "?",
    requestedSchema: { type: "object", properties: {} },
  } as const;
  const answer = questions.handlers.elicit?.(question, { server: undefined, signal, relatedTo: undefined });
  detach();
  questions.refuse(call);
  leave(new Error("The caller has left."));
  await expect(answer).rejects.toThrow("The caller has left.");
});
