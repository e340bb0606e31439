import { memoryState } from "allspeak/http";
import { stateContract } from "allspeak/testing/state";
import { describe, it } from "vitest";

describe("the state in memory keeps the contract", () => {
  const state = memoryState();
  const openApart = () => memoryState();
  const openTrimmed = () => memoryState({ maxEvents: 10 });
  for (const { name, run } of stateContract(() => state, { openApart, openTrimmed }))
    it.concurrent(name, run);
});
