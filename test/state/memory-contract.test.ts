import { memoryState } from "allspeak/http";
import { stateContract } from "allspeak/testing/state";
import { describe, it } from "vitest";
import { contractRuns, contractTimeoutMs } from "../support/contract-runs.ts";

describe("the state in memory keeps the contract", () => {
  // All runs share it, and leave their tasks.
  const state = memoryState({ maxTasks: 1_000_000, maxTaskChars: 2 ** 30 });
  const openApart = () => memoryState();
  const openTrimmed = () => memoryState({ maxEvents: 10 });
  const openLimited = () => memoryState({ maxTasks: 8, maxEndedTasks: 4 });
  for (const { name, run } of stateContract(() => state, {
    ...contractRuns,
    openApart,
    openTrimmed,
    openLimited,
  }))
    it.concurrent(name, run, contractTimeoutMs);
});
