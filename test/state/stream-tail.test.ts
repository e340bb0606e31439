import { afterEach, expect, it, vi } from "vitest";
import { memoryState } from "../../src/state/memory/memory-state.ts";
import { StreamTail } from "../../src/state/stream-tail.ts";

afterEach(() => vi.useRealTimers());

it("a stream that is gone is told of once, and followed when it begins again", async () => {
  vi.useFakeTimers();
  const { events } = memoryState();
  await events.append("stream", ["old"], 60_000);
  let missed = 0;
  const taken: string[] = [];
  const tail = new StreamTail({
    events,
    stream: "stream",
    onEvents: (page) => void taken.push(...page.map(({ text }) => text)),
    onMissed: () => missed++,
    onFailure: (cause) => expect.unreachable(String(cause)),
  });
  await tail.catchUp();
  await events.remove("stream");
  await vi.advanceTimersByTimeAsync(10_000);
  await events.append("stream", ["new"], 60_000);
  await tail.catchUp();
  tail.close();
  expect({ missed, taken }).toEqual({ missed: 1, taken: ["new"] });
});
