import { onTestFinished, vi } from "vitest";

/** Deadlines of a minute still leave seconds for what no clock can hurry: sockets, processes, modules to load. */
const times = 10;
const maxStepMs = 50;
// The real ones.
const { setTimeout: runLater, clearTimeout: cancel } = globalThis;
const now = performance.now.bind(performance);

/** Makes the time of this process pass ten times as fast until the test is over, for parts that wait for many seconds. */
export function hurry(): void {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
  });
  let last = now();
  let timer = runLater(pass, 1);
  onTestFinished(() => {
    cancel(timer);
    vi.useRealTimers();
  });

  // A process that stood still for a while has not missed its timers: they come in small steps nevertheless.
  function pass(): void {
    const at = now();
    vi.advanceTimersByTime(Math.min((at - last) * times, maxStepMs));
    last = at;
    timer = runLater(pass, 1);
  }
}
