import type { Call } from "../../contract/call.ts";
import { createSealer, type Sealer } from "../../seal/seal.ts";
import { createSealKeys, type SealKeys } from "../../seal/seal-keys.ts";
import type { ServerSettings } from "../catalog/catalog.ts";
import { stateFor } from "../state-for.ts";

/** The time within which a client must send the next round. */
export const roundTtlMs = 600_000;

type KeySource = Pick<Call, "state" | "secrets">;

/** The sealers of each server that had to seal something. Most never do. */
const known = new WeakMap<ServerSettings, ServerSealers>();

export function sealersOf(settings: ServerSettings): ServerSealers {
  const sealers = known.get(settings) ?? new ServerSealers(settings);
  known.set(settings, sealers);
  return sealers;
}

/** The keys of one server for what clients carry encrypted. */
class ServerSealers {
  readonly #settings: ServerSettings;
  /** The keys by their secrets; `undefined` stands for a random key of this process. */
  readonly #keysBySecrets = new Map<KeySource["secrets"], Promise<SealKeys>>();
  #hasWarned = false;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
  }

  /** The sealer with this server's secrets, or with those of the server that mounts it; it stores for `holder`. */
  async for(call: KeySource, holder?: string): Promise<Sealer> {
    const state = stateFor(this.#settings, call.state);
    const keys = await this.#keys(call.secrets);
    if (keys.isRandom && state.isShared) this.#warn();
    return createSealer(keys, { values: state.values, holder, ttlMs: roundTtlMs });
  }

  /** Warns if a requestState was sealed by another node, or by this one before a restart, and the key is random. */
  async onForeignKey({ secrets }: KeySource): Promise<void> {
    if ((await this.#keys(secrets)).isRandom) this.#warn();
  }

  #keys(others: KeySource["secrets"]): Promise<SealKeys> {
    const secrets = this.#settings.secrets ?? others;
    const keys = this.#keysBySecrets.get(secrets) ?? createSealKeys(secrets);
    this.#keysBySecrets.set(secrets, keys);
    return keys;
  }

  #warn(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#settings.log({
      message:
        "requestState is encrypted with a random key of this process, so other nodes can't continue these calls; give all nodes the same `secrets`, or ALLSPEAK_STATE_KEYS",
    });
  }
}
