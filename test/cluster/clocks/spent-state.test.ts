import { createServer, tool } from "allspeak";
import type { State } from "allspeak/http";
import { expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { entries, open } from "../../support/http/entries.ts";
import { askNewest } from "../../support/http/stateless-request.ts";
import { sharedMemory } from "../../support/shared-state.ts";
import { createValues } from "./store-clock.ts";

function createAsking() {
  const ask = tool("ask", { singleUse: true }, async (_, ctx) => {
    const { content } = await ctx.elicit("who", "Who?", z.object({ name: z.string() }));
    return `It is ${content?.name}.`;
  });
  // Not a secret: it is in this file.
  const secrets = ["QWxsIG5vZGVzIG5lZWQgdGhlIHNhbWUgMzIgYnl0ZXM="];
  return createServer({ name: "asking", version: "1", secrets, log: () => {}, tools: [ask] });
}

it("a state that a node with a fast clock has sealed is used once, as long as any node takes it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const begin = Date.now();
  let storeNow = begin;
  const state: State = { ...sharedMemory(), values: createValues(() => storeNow) };
  const [entry] = entries;
  if (entry === undefined) throw new Error("There is no way to serve.");
  const openOne = async () => (await open(entry, createAsking(), { state: { ...state } })).url;
  const [fast, right] = [await openOne(), await openOne()];
  const capabilities = { elicitation: {} };

  vi.setSystemTime(begin + 30_000);
  const asked = await askNewest(fast, "tools/call", { name: "ask" }, { capabilities });
  const { requestState } = (await asked.json()).result;
  const inputResponses = { who: { action: "accept", content: { name: "Ada" } } };
  const again = { name: "ask", requestState, inputResponses };
  const answered = await askNewest(fast, "tools/call", again, { capabilities });
  expect((await answered.json()).result).toMatchObject({ content: [{ text: "It is Ada." }] });

  storeNow = begin + 615_000;
  vi.setSystemTime(storeNow);
  const replayed = await askNewest(right, "tools/call", again, { capabilities });
  expect((await replayed.json()).error?.message).toContain("used before");
});
