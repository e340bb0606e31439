import type { Call } from "../../contract/call.ts";
import { createSealer, type Sealer, type SpillStore } from "../../seal/seal.ts";
import { createSealKeys, type SealKeys } from "../../seal/seal-keys.ts";
import type { ValueStore } from "../../state/state.ts";
import type { ServerSettings } from "../catalog/catalog.ts";

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

/** The values of the state of a call. Loaded with the first that is kept: clients carry nearly all there is. */
export async function valuesFor(settings: ServerSettings, { state }: KeySource): Promise<ValueStore> {
  const { stateFor } = await import("../state-for.ts");
  return stateFor(settings, state).values;
}

function spillInto(values: () => Promise<ValueStore>): SpillStore {
  return {
    put: async (...value) => (await values()).put(...value),
    get: async (key) => (await values()).get(key),
  };
}

/** The keys of one server for what clients carry encrypted. */
class ServerSealers {
  readonly #settings: ServerSettings;
  /** The keys by their secrets; `undefined` stands for a random key of this process. */
  readonly #keysBySecrets = new Map<KeySource["secrets"], Promise<SealKeys>>();
  #hasWarned = false;
  #hasOpenedState = false;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
  }

  /** The sealer with this server's secrets, or with those of the server that mounts it; it stores for `holder`. */
  async for(call: KeySource, holder?: string): Promise<Sealer> {
    const keys = await this.#keys(call.secrets);
    const state = call.state ?? this.#settings.state;
    if (keys.isRandom && state?.isShared) this.#warn();
    if (!call.state && state) this.#openOwnState(call);
    const values = spillInto(() => valuesFor(this.#settings, call));
    return createSealer(keys, { values, holder, ttlMs: roundTtlMs });
  }

  /** Warns if a requestState was sealed by another node, or by this one before a restart, and the key is random. */
  async onForeignKey({ secrets }: KeySource): Promise<void> {
    if ((await this.#keys(secrets)).isRandom) this.#warn();
  }

  /** Reports the faults of the server's own state with the first question, and not with the first that is large. */
  #openOwnState(call: KeySource): void {
    if (this.#hasOpenedState) return;
    this.#hasOpenedState = true;
    valuesFor(this.#settings, call).catch((cause: unknown) =>
      this.#settings.log({ message: "The state can't be used", cause }),
    );
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
