import { UsageError } from "../errors.ts";

type Callback = (...args: unknown[]) => void;

/** A clock that stands still until a test moves it. */
export interface TestClock {
  /** The time on this clock, in milliseconds since 1970. */
  readonly now: number;
  /**
   * Lets time pass: runs the timers that become due, in order, each at its time, with all that follows from it.
   * Resolves when nothing more is due.
   */
  advance(ms: number): Promise<void>;
  /** Takes the place of the clock of the process; `connectTest` does it for the clock that it is given. */
  install(): void;
  /** Gives the process its own clock back; timers that are still set never run. Safe to call twice. */
  restore(): void;
}

/** Turns of the event loop after each timer, in which all that follows from it runs. */
const turnsPerTimer = 2;

const own = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  Date: globalThis.Date,
};

let installed: TestClock | undefined;

/**
 * Creates a clock that a test moves. It begins at the present time, or at `startAt`.
 *
 * While it is installed it is the clock of the whole process: `setTimeout`, `setInterval`, `Date` and
 * `performance.now()` follow it, in the library and in handlers. A timer without a delay is a turn of the event
 * loop and not time: it runs by itself.
 */
export function createTestClock(startAt: number | Date = own.Date.now()): TestClock {
  return new VirtualTime(Number(startAt));
}

class VirtualTime implements TestClock {
  readonly #startedAt: number;
  readonly #timers = new Set<VirtualTimer>();
  #elapsed = 0;
  #monotonic: typeof performance.now | undefined;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  get now(): number {
    return this.#startedAt + this.#elapsed;
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new UsageError(`clock.advance takes a number of milliseconds, not ${ms}.`);
    if (installed !== this)
      throw new UsageError("This clock moves nothing: pass it to connectTest, or call clock.install().");
    const end = this.#elapsed + ms;
    await settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#elapsed = Math.max(this.#elapsed, timer.at);
      if (timer.everyMs === undefined) this.#timers.delete(timer);
      else timer.at = this.#elapsed + timer.everyMs;
      timer.run();
      await settle();
    }
    this.#elapsed = end;
  }

  install(): void {
    if (installed === this) return;
    if (installed)
      throw new UsageError("Another test clock is installed; restore it, or close its client, first.");
    installed = this;
    const monotonic = performance.now;
    const offset = Math.ceil(monotonic.call(performance)) - this.#elapsed;
    this.#monotonic = monotonic;
    performance.now = () => offset + this.#elapsed;
    Object.assign(globalThis, {
      setTimeout: (run: Callback, ms = 0, ...args: unknown[]) =>
        ms > 0 ? this.#add(() => run(...args), ms) : own.setTimeout(run, 0, ...args),
      setInterval: (run: Callback, ms = 0, ...args: unknown[]) =>
        this.#add(() => run(...args), Math.max(ms, 1), Math.max(ms, 1)),
      clearTimeout: (timer: unknown) => this.#clear(timer),
      clearInterval: (timer: unknown) => this.#clear(timer),
      Date: createDate(this),
    });
  }

  restore(): void {
    if (installed !== this) return;
    installed = undefined;
    Object.assign(globalThis, own);
    if (this.#monotonic) performance.now = this.#monotonic;
    this.#timers.clear();
  }

  #add(run: () => void, delayMs: number, everyMs?: number): VirtualTimer {
    // Whole milliseconds, as timers of Node have them.
    const timer = new VirtualTimer(run, this.#elapsed + Math.max(Math.trunc(delayMs), 1), everyMs);
    this.#timers.add(timer);
    return timer;
  }

  /** Timers that were set before the clock was installed are those of the process. */
  #clear(timer: unknown): void {
    if (timer instanceof VirtualTimer) this.#timers.delete(timer);
    else own.clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
  }

  /** The first timer that is due by then; of several at one time, the one that was set first. */
  #next(end: number): VirtualTimer | undefined {
    let next: VirtualTimer | undefined;
    for (const timer of this.#timers)
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  }
}

/** A timer with the methods that timers of Node have. */
class VirtualTimer {
  readonly run: () => void;
  readonly everyMs: number | undefined;
  at: number;

  constructor(run: () => void, at: number, everyMs?: number) {
    this.run = run;
    this.at = at;
    this.everyMs = everyMs;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

function createDate(clock: TestClock): DateConstructor {
  return new Proxy(own.Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [clock.now] : args, newTarget),
    apply: () => new own.Date(clock.now).toString(),
    get: (target, key) => (key === "now" ? () => clock.now : Reflect.get(target, key)),
  });
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < turnsPerTimer; turn++)
    await new Promise<void>((resolve) => {
      own.setTimeout(resolve, 0);
    });
}
