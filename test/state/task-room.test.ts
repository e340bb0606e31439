import { OverloadedError } from "allspeak";
import { afterEach, expect, it, vi } from "vitest";
import { TaskRoom } from "../../src/state/task-limits.ts";

afterEach(() => void vi.useRealTimers());

/** A look at the store that takes as long as the test wants. */
function holdLook() {
  let finish: (left: number) => void = () => {};
  const looking = new Promise<number>((resolve) => {
    finish = resolve;
  });
  return { look: () => looking, finish };
}

it("a task waits for the look at a small store, however long it takes, so that the limit holds", async () => {
  vi.useFakeTimers();
  const { look, finish } = holdLook();
  const refused = expect(new TaskRoom({ maxTasks: 8 }).make(look)).rejects.toThrow(OverloadedError);
  await vi.advanceTimersByTimeAsync(10_000);
  finish(8);
  await refused;
});

it("a task does not wait for a long look at a large store, unless that was full before", async () => {
  vi.useFakeTimers();
  const { look, finish } = holdLook();
  const created = new TaskRoom({ maxTasks: 100_000 }).make(look);
  await vi.advanceTimersByTimeAsync(10_000);
  await created;
  finish(10);
});
