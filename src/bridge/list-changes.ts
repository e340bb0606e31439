import type { ServedSessions } from "../client/forward/served-sessions.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import { runLater } from "../lib/async/timers.ts";

type List = "tools" | "prompts" | "resources";
type Callers = Pick<ServedSessions, "receivers">;

/** The time in which a connection reports a change that the one for all has reported; clients throttle changes. */
const lateMs = 1_500;
/** The time by which it may have reported it before. */
const earlyMs = 250;

/**
 * Changes of lists. Each caller reads its lists over its own connection, so a change that comes there is for it. A change
 * that comes over the connection for all is for those that have none, and for those whose connections do not report it:
 * over HTTP, a server drops what it sends before a stream is open.
 */
export class ListChanges {
  readonly #emit: (event: ServerEvent) => void;
  readonly #reported = new WeakMap<Callers, Map<List, number>>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(emit: (event: ServerEvent) => void) {
    this.#emit = emit;
  }

  /** Reports a change that came over the connection of some callers. */
  report(kind: List, callers: Callers): void {
    const times = this.#reported.get(callers) ?? new Map<List, number>();
    this.#reported.set(callers, times.set(kind, performance.now()));
    this.#notify(kind, callers);
  }

  /** The change, which came over the connection for all, without the callers that have their own. */
  exceptOwn(kind: List, own: readonly Callers[]): ServerEvent {
    const except = own.flatMap(({ receivers }) => receivers ?? []);
    if (except.length === 0) return { kind };
    const since = performance.now() - earlyMs;
    const timer = runLater(() => {
      this.#timers.delete(timer);
      for (const callers of own)
        if ((this.#reported.get(callers)?.get(kind) ?? Number.NEGATIVE_INFINITY) < since)
          this.#notify(kind, callers);
    }, lateMs);
    this.#timers.add(timer);
    return { kind, except };
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #notify(kind: List, { receivers }: Callers): void {
    if (receivers?.length !== 0) this.#emit(receivers ? { kind, sessions: receivers } : { kind });
  }
}
