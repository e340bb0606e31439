import { StoreUnavailableError } from "../errors/overloaded-error.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import { RecentMap } from "../lib/bounded/recent-map.ts";
import type { ValueStore } from "../state/state.ts";
import { keepRenewing } from "./renewal.ts";

/** A node that is stopped for five seconds is not taken for dead. */
const aliveMs = 10_000;
const renewMs = 3_000;
/** The time after which a renewal is begun again. A busy store may keep one for so long that others take the node for dead. */
const maxRenewalMs = 3_000;
/** The time after which a node doubts that others take it for alive: the clock of the store may be fast. */
const doubtMs = 9_000;
/** The time that the others have to come back to the store, once this node has. */
const settlingMs = 6_000;
/** The time for which a node that was found alive is taken to be so. */
const trustMs = 1_000;
const maxKnown = 1_000;

/** A moment by two clocks: one may be set back, the other may stand still while the machine sleeps. */
interface Moment {
  readonly wall: number;
  readonly steady: number;
}

/** The nodes that are alive: each puts a value that expires, and puts it again in time. */
export class Liveness {
  readonly #values: ValueStore;
  readonly #id: string;
  readonly #report: (message: string, cause: unknown) => void;
  readonly #known = new RecentMap<true>(maxKnown);
  readonly #onReturned = new Set<() => void>();
  #stopRenewing: (() => void) | undefined;
  #startedAt = 0;
  /** The moment at which the last renewal that succeeded was begun. */
  #renewedAt: Moment | undefined;
  #returns = 0;
  #renewing: Promise<void> | undefined;
  /** The time at which this node came back to the store after it had been cut off. */
  #backAt = Number.NEGATIVE_INFINITY;
  #isCutOff = false;

  constructor(values: ValueStore, id: string, report: (message: string, cause: unknown) => void) {
    this.#values = values;
    this.#id = id;
    this.#report = report;
  }

  /**
   * True if this node can't reach the store, or could not a moment ago: what is missing there may belong to others who
   * were cut off as well, and are about to put it back.
   */
  get wasCutOff(): boolean {
    return this.#isCutOff || msSince(this.#renewedAt) >= aliveMs || isRecent(this.#backAt);
  }

  /** True if others may take this node for dead. */
  get isDoubtful(): boolean {
    return msSince(this.#renewedAt) >= doubtMs;
  }

  /** The times that this node came back, after others may have taken it for dead. */
  get returns(): number {
    return this.#returns;
  }

  /** Calls the listener when this node is back, after others may have taken it for dead. */
  onReturned(listener: () => void): void {
    this.#onReturned.add(listener);
  }

  start(): void {
    if (this.#stopRenewing !== undefined) return;
    this.#startedAt = performance.now();
    this.#stopRenewing = keepRenewing(() => this.renew(), renewMs);
  }

  async isAlive(node: string): Promise<boolean> {
    if (node === this.#id || this.#known.get(node)) return true;
    // A node that has just started does not know whether the store was away.
    if ((await this.#values.get(toKey(node))) === undefined)
      return this.wasCutOff || isRecent(this.#startedAt);
    this.#known.set(node, true, trustMs);
    return true;
  }

  /** Reports that this node is gone, so that nobody waits for it. */
  async close(): Promise<void> {
    if (this.#stopRenewing === undefined) return;
    this.#stopRenewing();
    this.#stopRenewing = undefined;
    await this.#values.remove(toKey(this.#id));
  }

  /** Reports that this node is alive. Rejects when the store can't be reached. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const begunAt = { wall: Date.now(), steady: performance.now() };
    try {
      await waitAtMost(maxRenewalMs, this.#put(), throwLate);
    } catch (cause) {
      this.#isCutOff = true;
      this.#report("This node could not report that it is alive", cause);
      throw cause;
    }
    // A process that stood still was away, too.
    const isBack = this.#renewedAt !== undefined && this.isDoubtful;
    if (this.#isCutOff || isBack) this.#backAt = performance.now();
    this.#isCutOff = false;
    this.#renewedAt = begunAt;
    if (!isBack) return;
    this.#returns++;
    for (const listener of this.#onReturned) listener();
  }

  async #put(): Promise<void> {
    await this.#values.put(toKey(this.#id), "", aliveMs);
  }
}

function throwLate(): never {
  throw new StoreUnavailableError(`The store of the server has not answered within ${maxRenewalMs} ms.`);
}

/** The time since a moment, by the clock that finds more. */
function msSince(moment: Moment | undefined): number {
  if (moment === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(Date.now() - moment.wall, performance.now() - moment.steady);
}

function isRecent(at: number): boolean {
  return performance.now() - at < settlingMs;
}

function toKey(node: string): string {
  return `node/${node}`;
}
