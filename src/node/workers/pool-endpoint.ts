import type { State } from "../../state/state.ts";

export interface EndpointAddress {
  readonly url: string;
  readonly port: number;
}

/** The part of an endpoint that only the process knows which starts the workers. */
interface Opened {
  /** For workers that share memory. */
  readonly state: State;
  /** The port of all workers, also of those that are started later. */
  readonly port: number;
}

/** One call of `serveHttp` in the program: this process and all workers come to it, in any order. */
export class PoolEndpoint {
  /** Resolves when this process has come to the call. */
  readonly opened: Promise<Opened>;
  readonly #served: Promise<string>;
  readonly #listening = new Set<number>();
  #open: (opened: Opened) => void = () => {};
  #resolve: (url: string) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #isServed = false;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.#served = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Nobody may have come to the call yet.
    this.#served.catch(() => {});
  }

  /** True if all workers have served it at the same time. */
  get isServed(): boolean {
    return this.#isServed;
  }

  /** Resolves when every worker serves it. */
  async open(opened: Opened): Promise<EndpointAddress> {
    this.#open(opened);
    return { url: await this.#served, port: opened.port };
  }

  add(worker: number, url: string, wanted: number): void {
    this.#listening.add(worker);
    if (this.#listening.size < wanted) return;
    this.#isServed = true;
    this.#resolve(url);
  }

  remove(worker: number): void {
    this.#listening.delete(worker);
  }

  fail(error: Error): void {
    this.#reject(error);
  }
}
