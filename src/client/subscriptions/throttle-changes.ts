import type { Change } from "../../contract/server-event.ts";
import { startBackgroundTimer } from "../../lib/timers.ts";

export interface ChangeThrottle {
  readonly onChange: (change: Change) => void;
  /** Nothing is told from now on. */
  stop(): void;
}

const paceMs = 1_000;
/** A change and its end, such as a tool that comes and goes, may follow at once. */
const burst = 2;

interface Rest {
  left: number;
  waiting: Change | undefined;
  readonly timer: ReturnType<typeof setInterval>;
}

/**
 * Tells of changes of a list at most once a second, after two that are told at once, and of the
 * last one for certain.
 *
 * Whoever hears of one asks for the list again, and a server may cry ten thousand times a second.
 */
export function throttleChanges(tell: (change: Change) => void): ChangeThrottle {
  const resting = new Map<Change["kind"], Rest>();
  const onRested = (kind: Change["kind"], rest: Rest) => {
    const { waiting } = rest;
    rest.waiting = undefined;
    if (waiting === undefined && ++rest.left === burst) {
      clearInterval(rest.timer);
      resting.delete(kind);
    }
    if (waiting) tell(waiting);
  };
  const begin = (kind: Change["kind"]): Rest => {
    const timer = startBackgroundTimer(() => onRested(kind, rest), paceMs);
    const rest: Rest = { left: burst, waiting: undefined, timer };
    resting.set(kind, rest);
    return rest;
  };
  return {
    onChange(change) {
      if (change.kind === "resource") return tell(change);
      const rest = resting.get(change.kind) ?? begin(change.kind);
      if (rest.left === 0) {
        rest.waiting = change;
        return;
      }
      rest.left--;
      tell(change);
    },
    stop() {
      for (const { timer } of resting.values()) clearInterval(timer);
      resting.clear();
    },
  };
}
