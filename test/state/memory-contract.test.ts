import { memoryState } from "allspeak/http";
import { stateContract } from "allspeak/testing/state";
import { describe, it } from "vitest";

describe("the state in memory keeps the contract", () => {
  const state = memoryState();
  const openApart = () => memoryState();
  const openTrimmed = () => memoryState({ maxEvents: 10 });
  const openLimited = () => memoryState({ maxTasks: 8, maxEndedTasks: 4 });
  for (const { name, run } of stateContract(() => state, { openApart, openTrimmed, openLimited }))
    it.concurrent(name, run);
});
