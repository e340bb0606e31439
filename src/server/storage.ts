import type { Call } from "../contract/call.ts";
import type { Sealer } from "../seal/seal.ts";
import type { SealKeys } from "../seal/seal-keys.ts";
import { memoryState } from "../state/memory/memory-state.ts";
import type { State } from "../state/state.ts";
import type { LogSink } from "./log.ts";

export interface ServerStorageOptions {
  readonly secrets: readonly string[] | undefined;
  readonly state: State | undefined;
  readonly log: LogSink;
}

type Carrying = Pick<Call, "state" | "secrets">;

/** Where a server keeps what outlives a call: in a state, or sealed with its clients. */
export class ServerStorage {
  /** How long a client may take to come back. */
  readonly ttlMs: number = 600_000;
  readonly #options: ServerStorageOptions;
  /** By their secrets; a server that has none has one ring of its own. */
  readonly #rings = new Map<Carrying["secrets"], Promise<SealKeys>>();
  #own: State | undefined;
  #hasWarned = false;

  constructor(options: ServerStorageOptions) {
    this.#options = options;
  }

  /** The state that a transport has brought along, or the server's own. */
  stateFor(given: State | undefined): State {
    if (given) return given;
    this.#own ??= this.#options.state ?? memoryState();
    return this.#own;
  }

  /** Seals with this server's secrets, or with those of the one in which it is mounted. */
  async sealer(call: Carrying): Promise<Sealer> {
    const { createSealer } = await import("../seal/seal.ts");
    const state = this.stateFor(call.state);
    const ring = await this.#keys(call.secrets);
    if (ring.isRandom && state.isShared) this.#warn();
    return createSealer(ring, { values: state.values, ttlMs: this.ttlMs });
  }

  /** Some other node, or this one before it was started again, has sealed something. */
  async onForeignKey({ secrets }: Carrying): Promise<void> {
    if ((await this.#keys(secrets)).isRandom) this.#warn();
  }

  async #keys(others: Carrying["secrets"]): Promise<SealKeys> {
    const secrets = this.#options.secrets ?? others;
    const { createSealKeys } = await import("../seal/seal-keys.ts");
    const ring = this.#rings.get(secrets) ?? createSealKeys(secrets);
    this.#rings.set(secrets, ring);
    return ring;
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
