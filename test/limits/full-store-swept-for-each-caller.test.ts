import { OverloadedError } from "allspeak";
import { memoryState } from "allspeak/http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const minuteMs = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

it("counters that are full are looked through once a second, not for each stranger who comes", () => {
  const { counters } = memoryState({ maxValues: 3 });
  for (const address of ["a", "b"]) void counters.count(address, 1, minuteMs);
  void counters.count("c", 1, 400);
  expect(() => counters.count("d", 1, minuteMs)).toThrow(OverloadedError);
  vi.advanceTimersByTime(500);
  expect(() => counters.count("d", 1, minuteMs)).toThrow(OverloadedError);
  expect(counters.count("a", 1, minuteMs)).toMatchObject({ count: 2 });
  vi.advanceTimersByTime(500);
  expect(counters.count("d", 1, minuteMs)).toMatchObject({ count: 1 });
});
