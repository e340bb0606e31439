import type { Change } from "../peer/mount.ts";

export interface ChangePace {
  readonly onChange: (change: Change) => void;
  /** Nothing is told from now on. */
  stop(): void;
}

const paceMs = 1_000;

/**
 * Tells of changes of a list at most once a second, and of the last one for certain.
 *
 * Whoever hears of one asks for the list again, and a server may cry ten thousand times a second.
 */
export function paceChanges(tell: (change: Change) => void): ChangePace {
  const resting = new Map<
    Change["kind"],
    { waiting: Change | undefined; timer: ReturnType<typeof setTimeout> }
  >();
  const tellNow = (change: Change) => {
    resting.set(change.kind, {
      waiting: undefined,
      timer: unreferenced(setTimeout(onRested, paceMs, change.kind)),
    });
    tell(change);
  };
  const onRested = (kind: Change["kind"]) => {
    const waiting = resting.get(kind)?.waiting;
    resting.delete(kind);
    if (waiting) tellNow(waiting);
  };
  return {
    onChange(change) {
      if (change.kind === "resource") return tell(change);
      const rest = resting.get(change.kind);
      if (rest) rest.waiting = change;
      else tellNow(change);
    },
    stop() {
      for (const { timer } of resting.values()) clearTimeout(timer);
      resting.clear();
    },
  };
}

/** It keeps no process alive, where the platform has such timers. */
function unreferenced<T>(timer: T): T {
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
  return timer;
}
