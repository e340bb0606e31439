/** A simulated process: once it is dead nothing of it runs any more; while it is frozen all of it waits. */
export class Host {
  readonly name: string;
  isAlive = true;
  isFrozen = false;
  /** Actions that were due while it was frozen. */
  missed: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  kill(): void {
    this.isAlive = false;
    this.missed = [];
  }

  freeze(): void {
    this.isFrozen = true;
  }
}

/**
 * The process that runs now; timers belong to the process that sets them. Processes reach each other only by the clock,
 * which lets one of them run at a time until nothing is left to do, so that all of it belongs to that one.
 */
let running: Host | undefined;

/** Does something as a process, though another runs. */
export function runAs<T>(host: Host, action: () => T): T {
  const before = running;
  running = host;
  try {
    return action();
  } finally {
    running = before;
  }
}

class Timer {
  readonly host: Host;
  readonly action: () => void;
  readonly everyMs: number | undefined;
  at: number;
  order: number;
  isCleared = false;
  /** It was due while its process was frozen. */
  isMissed = false;

  constructor(host: Host, action: () => void, at: number, order: number, everyMs?: number) {
    this.host = host;
    this.action = action;
    this.at = at;
    this.order = order;
    this.everyMs = everyMs;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.toPrimitive](): number {
    return this.order;
  }
}

type Callback = (...args: unknown[]) => void;

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
};

/**
 * The time of a simulated world. It stands still while anything runs, and jumps to the next timer when nothing does,
 * so that a run of minutes takes milliseconds and is the same each time.
 */
export class VirtualClock {
  /** Where everything runs that belongs to no simulated process. */
  readonly outside: Host = new Host("outside");
  readonly #queue = new TimerQueue();
  readonly #startedAt = Date.UTC(2026, 6, 28);
  #now = 0;
  #order = 0;
  /** The number of timers that have fired. */
  steps = 0;

  get now(): number {
    return this.#now;
  }

  /** Runs something in a process after a time. */
  schedule(host: Host, delayMs: number, action: () => void): void {
    this.#add(new Timer(host, action, this.#now + Math.max(delayMs, 0), this.#order++));
  }

  /** Lets a frozen process go on, with all that was due meanwhile. */
  thaw(host: Host): void {
    host.isFrozen = false;
    for (const action of host.missed.splice(0)) this.schedule(host, 0, action);
  }

  /** Lets time pass until then; returns when all that was due has run. */
  async runUntil(endMs: number): Promise<void> {
    await settle();
    for (;;) {
      const timer = this.#queue.peek();
      if (timer === undefined || timer.at > endMs) break;
      this.#queue.pop();
      if (timer.isCleared || !timer.host.isAlive) continue;
      this.#now = Math.max(this.#now, timer.at);
      running = timer.host;
      this.#fire(timer);
      await settle();
      running = undefined;
    }
    this.#now = Math.max(this.#now, endMs);
  }

  /** Puts this clock in the place of the real one; returns the function that ends that. */
  install(): () => void {
    const now = Date.now;
    const monotonic = performance.now;
    Date.now = () => this.#startedAt + Math.floor(this.#now);
    performance.now = () => this.#now;
    const set = (callback: Callback, delayMs = 0, ...args: unknown[]) => this.#set(callback, delayMs, args);
    const repeat = (callback: Callback, everyMs = 0, ...args: unknown[]) =>
      this.#set(callback, everyMs, args, Math.max(everyMs, 1));
    const clear = (timer: unknown) => {
      if (timer instanceof Timer) timer.isCleared = true;
    };
    Object.assign(globalThis, {
      setTimeout: set,
      setInterval: repeat,
      setImmediate: (callback: Callback, ...args: unknown[]) => this.#set(callback, 0, args),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    });
    return () => {
      Object.assign(globalThis, real);
      Date.now = now;
      performance.now = monotonic;
    };
  }

  #set(callback: Callback, delayMs: number, args: readonly unknown[], everyMs?: number): Timer {
    const host = running ?? this.outside;
    const at = this.#now + Math.max(Number(delayMs) || 0, 0);
    return this.#add(new Timer(host, () => callback(...args), at, this.#order++, everyMs));
  }

  #fire(timer: Timer): void {
    this.steps++;
    const { host } = timer;
    const act = () => {
      timer.isMissed = false;
      if (!timer.isCleared) timer.action();
    };
    if (!host.isFrozen) act();
    else if (!timer.isMissed) host.missed.push(act);
    timer.isMissed = host.isFrozen;
    if (timer.everyMs === undefined || timer.isCleared) return;
    timer.at = this.#now + timer.everyMs;
    timer.order = this.#order++;
    this.#add(timer);
  }

  #add(timer: Timer): Timer {
    this.#queue.push(timer);
    return timer;
  }
}

/** Settles when everything that needs no timer has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    real.setImmediate(resolve);
  });
}

/** A binary heap. */
class TimerQueue {
  readonly #timers: Timer[] = [];

  peek(): Timer | undefined {
    return this.#timers[0];
  }

  push(timer: Timer): void {
    const timers = this.#timers;
    timers.push(timer);
    for (let at = timers.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timers[at], timers[parent])) return;
      swap(timers, at, parent);
      at = parent;
    }
  }

  pop(): Timer | undefined {
    const timers = this.#timers;
    const first = timers[0];
    const last = timers.pop();
    if (last === undefined || timers.length === 0) return first;
    timers[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (isBefore(timers[left], timers[least])) least = left;
      if (isBefore(timers[right], timers[least])) least = right;
      if (least === at) return first;
      swap(timers, at, least);
      at = least;
    }
  }
}

function isBefore(a: Timer | undefined, b: Timer | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.at !== b.at ? a.at < b.at : a.order < b.order;
}

function swap(timers: Timer[], a: number, b: number): void {
  const kept = timers[a] as Timer;
  timers[a] = timers[b] as Timer;
  timers[b] = kept;
}
