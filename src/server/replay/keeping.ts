import type { KeyRing } from "../../seal/key-ring.ts";
import type { Sealer } from "../../seal/seal.ts";
import { memoryState } from "../../state/memory.ts";
import type { State } from "../../state/state.ts";
import type { LogSink } from "../failure.ts";

export interface KeepingOptions {
  readonly secrets: readonly string[] | undefined;
  readonly state: State | undefined;
  readonly log: LogSink;
}

/** Where a server keeps what outlives a call: in a state, or sealed with its clients. */
export class Keeping {
  /** How long a client may take to come back. */
  readonly ttlMs: number = 600_000;
  readonly #options: KeepingOptions;
  readonly #sealers = new WeakMap<State, Promise<Sealer>>();
  #own: State | undefined;
  #ring: Promise<KeyRing> | undefined;
  #hasWarned = false;

  constructor(options: KeepingOptions) {
    this.#options = options;
  }

  /** The state that a transport has brought along, or the server's own. */
  stateFor(given: State | undefined): State {
    if (given) return given;
    this.#own ??= this.#options.state ?? memoryState();
    return this.#own;
  }

  sealer(given: State | undefined): Promise<Sealer> {
    const state = this.stateFor(given);
    const known = this.#sealers.get(state);
    if (known !== undefined) return known;
    const made = this.#createSealer(state);
    this.#sealers.set(state, made);
    return made;
  }

  /** Some other node, or this one before it was started again, has sealed something. */
  async onForeignKey(): Promise<void> {
    if ((await this.#keys()).isRandom) this.#warn();
  }

  async #createSealer(state: State): Promise<Sealer> {
    const [{ createSealer }, ring] = await Promise.all([import("../../seal/seal.ts"), this.#keys()]);
    if (ring.isRandom && state.isShared) this.#warn();
    return createSealer(ring, { values: state.values, ttlMs: this.ttlMs });
  }

  #keys(): Promise<KeyRing> {
    this.#ring ??= import("../../seal/key-ring.ts").then(({ createKeyRing }) =>
      createKeyRing(this.#options.secrets),
    );
    return this.#ring;
  }

  #warn(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log({
      message:
        "What clients carry between rounds is sealed with a random key of this process, so no other node can go on with their calls; give all nodes the same `secrets`, or ALLSPEAK_STATE_KEYS",
    });
  }
}
