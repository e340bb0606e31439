import { SeededRandom } from "../seeded-random.ts";

/** A message, or a request of HTTP, that a fault may hit. */
export interface FaultTarget {
  /** Towards the server or back. */
  readonly direction: "sent" | "received";
  /** The number of the message in its direction, from 1, over all connections. */
  readonly number: number;
  /** The method; undefined for an answer. */
  readonly method: string | undefined;
}

/** The frequency of a fault, as a share from 0 to 1, or a function that decides. */
export type Chance = number | ((target: FaultTarget) => boolean);

export interface FaultOptions {
  /** Loses a message. */
  readonly drop?: Chance | undefined;
  /** Keeps a message back, for up to `delayMs`. */
  readonly delay?: Chance | undefined;
  /** The longest delay, in milliseconds. Default 50. */
  readonly delayMs?: number | undefined;
  /** Delivers a message twice. */
  readonly duplicate?: Chance | undefined;
  /** Delivers a message after the next one. */
  readonly reorder?: Chance | undefined;
  /** Breaks the connection instead of delivering a message. */
  readonly cut?: Chance | undefined;
  /** Answers a request with a status instead of sending it; only of `fetch`. */
  readonly status?: Chance | undefined;
  /** The status that is answered. Default 503. */
  readonly statusCode?: number | undefined;
  /** The same seed decides the same. Default: a new one each time; errors name it. */
  readonly seed?: number | undefined;
}

export type FaultKind = "drop" | "delay" | "duplicate" | "reorder" | "cut" | "status";

/** One fault that happened. */
export interface InjectedFault extends FaultTarget {
  readonly kind: FaultKind;
}

/** The most faults that are remembered. */
const maxRemembered = 1_000;

/** Decides the faults of each message, and remembers them. */
export class FaultPlan {
  readonly options: FaultOptions;
  readonly seed: number;
  readonly injected: InjectedFault[] = [];
  /** Each direction has its own numbers, so that their timing does not change what happens. */
  readonly #random: Readonly<Record<FaultTarget["direction"], SeededRandom>>;
  readonly #counts = { sent: 0, received: 0 };

  constructor(options: FaultOptions) {
    this.options = options;
    this.seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
    this.#random = { sent: new SeededRandom(this.seed), received: new SeededRandom(this.seed + 1) };
  }

  /** The first of these kinds that hits the next message of a direction. */
  next(
    direction: FaultTarget["direction"],
    method: string | undefined,
    kinds: readonly FaultKind[],
  ): InjectedFault | undefined {
    const target = { direction, method, number: ++this.#counts[direction] };
    // Each kind draws a number for each message, so that one chance does not change the others.
    const hits = kinds.filter((kind) => this.#isHit(this.options[kind], target));
    const [kind] = hits;
    if (kind === undefined) return undefined;
    const fault = { kind, ...target };
    if (this.injected.length < maxRemembered) this.injected.push(fault);
    return fault;
  }

  delayMs(direction: FaultTarget["direction"]): number {
    return this.#random[direction].between(1, Math.max(this.options.delayMs ?? 50, 1));
  }

  /** The error of a fault, with the seed that repeats it. */
  toError(fault: InjectedFault): Error {
    return new Error(`A fault of the test (${describeFault(fault)}; seed ${this.seed})`);
  }

  #isHit(chance: Chance | undefined, target: FaultTarget): boolean {
    const drawn = this.#random[target.direction].next();
    if (chance === undefined) return false;
    return typeof chance === "function" ? chance(target) : drawn < chance;
  }
}

export function describeFault({ kind, method, direction, number }: InjectedFault): string {
  return `${kind} of message ${number} ${direction}, ${method ?? "an answer"}`;
}
