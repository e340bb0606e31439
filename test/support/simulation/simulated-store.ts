import type { State } from "../../../src/state/state.ts";
import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { type Host, runAs, type VirtualClock } from "./virtual-clock.ts";

/** How the way between processes and their store behaves, from 0 to 1 where it is a probability. */
export interface StoreFaults {
  /** The longest time that a message usually takes. */
  readonly latencyMs: number;
  /** Messages that take up to `slowMs` instead. */
  readonly slow: number;
  readonly slowMs: number;
  /** Operations that fail without having had an effect. */
  readonly failBefore: number;
  /** Operations that had their effect, and whose answer is lost. */
  readonly failAfter: number;
  /** Hints that are lost. */
  readonly lostHints: number;
  /** Whether operations of one process may overtake each other, as over several connections. */
  readonly reorders: boolean;
}

/** A store that is quick and loses nothing. */
export const calmStore: StoreFaults = {
  latencyMs: 2,
  slow: 0,
  slowMs: 200,
  failBefore: 0,
  failAfter: 0,
  lostHints: 0,
  reorders: false,
};

type Operation = (...args: unknown[]) => unknown;

/** One store for all simulated processes. Each reaches it over a way of its own, which loses and delays things. */
export class SimulatedStore {
  readonly #state: State;
  readonly #clock: VirtualClock;
  readonly #random: SeededRandom;
  readonly #hosts = new Map<Host, { isCut: boolean; lastArrival: number }>();
  faults: StoreFaults;
  /** No process reaches it. */
  isDown = false;
  operations = 0;

  constructor(state: State, clock: VirtualClock, random: SeededRandom, faults: StoreFaults) {
    this.#state = state;
    this.#clock = clock;
    this.#random = random;
    this.faults = faults;
  }

  /** Cuts one process off the store, or lets it back. */
  partition(host: Host, isCut: boolean): void {
    this.#wayOf(host).isCut = isCut;
  }

  /** The state as a process sees it. */
  stateFor(host: Host): State {
    const state = this.#state;
    return new Proxy(state, {
      get: (_, name) => {
        if (name === "isShared") return true;
        const member: unknown = Reflect.get(state, name);
        if (typeof member === "function") return this.#remote(host, state, member as Operation);
        return typeof member === "object" && member !== null ? this.#storeFor(host, member) : member;
      },
    });
  }

  readonly #stores = new Map<Host, Map<object, object>>();

  #storeFor(host: Host, store: object): object {
    const known = this.#stores.get(host) ?? new Map<object, object>();
    this.#stores.set(host, known);
    const proxied = known.get(store) ?? this.#proxy(host, store);
    known.set(store, proxied);
    return proxied;
  }

  #proxy(host: Host, store: object): object {
    return new Proxy(store, {
      get: (_, name) => {
        const member: unknown = Reflect.get(store, name);
        if (typeof member !== "function") return member;
        return name === "watch" || name === "onChange"
          ? this.#hints(host, store, member as Operation)
          : this.#remote(host, store, member as Operation);
      },
    });
  }

  /** An operation that travels to the store and back. */
  #remote(host: Host, store: object, operation: Operation): Operation {
    return (...args) =>
      new Promise((resolve, reject) => {
        this.operations++;
        // What is sent is a copy: changes of the object later on do not reach the store.
        const sent = args.map(toCopy);
        const { failBefore, failAfter } = this.faults;
        const fail = (why: string) =>
          this.#clock.schedule(host, this.#latency(), () => reject(new Error(`The store is away: ${why}.`)));
        if (!this.#reaches(host) || this.#random.chance(failBefore)) return fail("nothing was sent");
        const isAnswerLost = this.#random.chance(failAfter);
        this.#clock.schedule(this.#clock.outside, this.#arrival(host), () => {
          if (!this.#reaches(host)) return fail("the connection broke");
          void this.#perform(store, operation, sent).then(
            (value) => {
              if (isAnswerLost || !this.#reaches(host)) return fail("the answer was lost");
              this.#clock.schedule(host, this.#latency(), () => resolve(toCopy(value)));
            },
            (error: unknown) => this.#clock.schedule(host, this.#latency(), () => reject(error)),
          );
        });
      });
  }

  async #perform(store: object, operation: Operation, args: readonly unknown[]): Promise<unknown> {
    return runAs(this.#clock.outside, () => operation.apply(store, [...args]));
  }

  /** A listener whose calls travel from the store to the process, or get lost. */
  #hints(host: Host, store: object, listen: Operation): Operation {
    return (...args) => {
      const listener = args.at(-1) as Operation;
      const hint: Operation = (...hinted) => {
        if (!this.#reaches(host) || this.#random.chance(this.faults.lostHints)) return;
        this.#clock.schedule(host, this.#latency(), () => {
          if (!isStopped) listener(...hinted);
        });
      };
      let isStopped = false;
      const stop = runAs(this.#clock.outside, () =>
        listen.apply(store, [...args.slice(0, -1), hint]),
      ) as () => void;
      return () => {
        isStopped = true;
        stop();
      };
    };
  }

  #reaches(host: Host): boolean {
    return !this.isDown && !this.#wayOf(host).isCut;
  }

  #wayOf(host: Host): { isCut: boolean; lastArrival: number } {
    const way = this.#hosts.get(host) ?? { isCut: false, lastArrival: 0 };
    this.#hosts.set(host, way);
    return way;
  }

  /** The time until an operation arrives; in order, unless they may overtake each other. */
  #arrival(host: Host): number {
    const way = this.#wayOf(host);
    const { now } = this.#clock;
    const at = now + this.#latency();
    way.lastArrival = this.faults.reorders ? at : Math.max(at, way.lastArrival);
    return way.lastArrival - now;
  }

  #latency(): number {
    const { latencyMs, slow, slowMs } = this.faults;
    return this.#random.next() * (this.#random.chance(slow) ? slowMs : latencyMs);
  }
}

/** A copy as a store keeps it: as JSON. */
function toCopy(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}
