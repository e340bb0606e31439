import type { Call } from "../contract/call.ts";
import type { Sealer } from "../seal/seal.ts";
import type { SealKeys } from "../seal/seal-keys.ts";
import type { State } from "../state/state.ts";
import type { LogSink } from "./log.ts";

export interface ServerStorageOptions {
  readonly info: { readonly name: string };
  readonly secrets: readonly string[] | undefined;
  readonly state: State | undefined;
  readonly log: LogSink;
}

type KeySource = Pick<Call, "state" | "secrets">;

/** The storage for what outlives a call: the state, and the keys for what clients carry encrypted. */
export class ServerStorage {
  /** The time within which a client must send the next round. */
  readonly ttlMs: number = 600_000;
  readonly #options: ServerStorageOptions;
  /** The keys by their secrets; `undefined` stands for a random key of this process. */
  readonly #keysBySecrets = new Map<KeySource["secrets"], Promise<SealKeys>>();
  #hasWarned = false;

  constructor(options: ServerStorageOptions) {
    this.#options = options;
  }

  /** The state that the server was given. */
  get given(): State | undefined {
    return this.#options.state;
  }

  get name(): string {
    return this.#options.info.name;
  }

  report(message: string, cause: unknown): void {
    this.#options.log({ message, cause });
  }

  /** The sealer with this server's secrets, or with those of the server that mounts it; it stores for `holder`. */
  async sealer(call: KeySource, holder?: string): Promise<Sealer> {
    const [{ createSealer }, { stateFor }] = await Promise.all([
      import("../seal/seal.ts"),
      import("./state-for.ts"),
    ]);
    const state = stateFor(this, call.state);
    const keys = await this.#keys(call.secrets);
    if (keys.isRandom && state.isShared) this.#warn();
    return createSealer(keys, { values: state.values, holder, ttlMs: this.ttlMs });
  }

  /** Warns if a requestState was sealed by another node, or by this one before a restart, and the key is random. */
  async onForeignKey({ secrets }: KeySource): Promise<void> {
    if ((await this.#keys(secrets)).isRandom) this.#warn();
  }

  async #keys(others: KeySource["secrets"]): Promise<SealKeys> {
    const secrets = this.#options.secrets ?? others;
    const keys = this.#keysBySecrets.get(secrets) ?? loadKeys(secrets);
    this.#keysBySecrets.set(secrets, keys);
    return keys;
  }

  #warn(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log({
      message:
        "requestState is encrypted with a random key of this process, so other nodes can't continue these calls; give all nodes the same `secrets`, or ALLSPEAK_STATE_KEYS",
    });
  }
}

async function loadKeys(secrets: KeySource["secrets"]): Promise<SealKeys> {
  const { createSealKeys } = await import("../seal/seal-keys.ts");
  return createSealKeys(secrets);
}
