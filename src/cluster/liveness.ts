import { startBackgroundTimer } from "../lib/async/timers.ts";
import { RecentMap } from "../lib/bounded/recent-map.ts";
import type { ValueStore } from "../state/state.ts";

/** A node that is stopped for five seconds is not taken for dead. */
const aliveMs = 10_000;
const renewMs = 3_000;
/** The time for which a node that was found alive is taken to be so. */
const trustMs = 1_000;
const maxKnown = 1_000;

/** The nodes that are alive: each puts a value that expires, and puts it again in time. */
export class Liveness {
  readonly #values: ValueStore;
  readonly #id: string;
  readonly #report: (message: string, cause: unknown) => void;
  readonly #known = new RecentMap<true>(maxKnown);
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(values: ValueStore, id: string, report: (message: string, cause: unknown) => void) {
    this.#values = values;
    this.#id = id;
    this.#report = report;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = startBackgroundTimer(() => void this.#renew(), renewMs);
    void this.#renew();
  }

  async isAlive(node: string): Promise<boolean> {
    if (node === this.#id || this.#known.get(node)) return true;
    if ((await this.#values.get(toKey(node))) === undefined) return false;
    this.#known.set(node, true, trustMs);
    return true;
  }

  /** Says that this node is gone, so that nobody waits for it. */
  async close(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#values.remove(toKey(this.#id));
  }

  async #renew(): Promise<void> {
    try {
      await this.#values.put(toKey(this.#id), "", aliveMs);
    } catch (cause) {
      this.#report("This node could not say that it is alive", cause);
    }
  }
}

function toKey(node: string): string {
  return `node/${node}`;
}
