import type { Target } from "../client/connect/target.ts";
import type { Call } from "../contract/call.ts";
import { toOwner } from "../contract/caller/principal.ts";
import { runLater } from "../lib/async/timers.ts";
import { canonicalJson } from "../lib/encoding/canonical-json.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import type { BridgeOptions } from "./options.ts";
import { Upstream } from "./upstream.ts";

interface Place {
  readonly key: string;
  readonly opening: Promise<Upstream>;
  /** Calls that use it, or wait until it is open. */
  users: number;
  idleTimer?: ReturnType<typeof setTimeout> | undefined;
}

/** The time after which a caller without a connection tries again. */
const retryMs = 5_000;

/** The right to use a connection. */
export interface Lease {
  readonly upstream: Upstream;
  /** Gives it back, once. */
  release(): void;
}

/** The connections to the server behind a bridge: one for each caller that must not meet others there. */
export class UpstreamPool {
  readonly #target: Target;
  readonly #options: BridgeOptions;
  readonly #places = new Set<Place>();

  constructor(target: Target, options: BridgeOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** The number of calls that use a connection. */
  get running(): number {
    return [...this.#places].reduce((sum, { users }) => sum + users, 0);
  }

  /** The connection of a caller, until it is released. One that is `alone` shares it with no other call. */
  async lease(call: Call, alone: boolean): Promise<Lease> {
    const place = this.#find(toKey(call, this.#options.isolation), alone) ?? this.#open(call);
    place.users++;
    clearTimeout(place.idleTimer);
    const release = () => {
      if (--place.users === 0)
        place.idleTimer = runLater(() => void this.#drop(place), this.#options.idleMs ?? 300_000);
    };
    try {
      return { upstream: await place.opening, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#places].map((place) => this.#drop(place)));
  }

  #find(key: string, alone: boolean): Place | undefined {
    return [...this.#places].find((place) => place.key === key && (!alone || place.users === 0));
  }

  #open(call: Call): Place {
    const { isolation, maxConnections = 100, connect = {} } = this.#options;
    if (this.#places.size >= maxConnections && !this.#makeRoom())
      throw limitReached(LimitCode.overloaded, "All connections of the bridge are in use", retryMs);
    const opening = Upstream.open(this.#target, connect, call.client.capabilities);
    const place: Place = { key: toKey(call, isolation), opening, users: 0 };
    this.#places.add(place);
    opening.then(
      ({ client }) => void client.closed.then(() => this.#places.delete(place)),
      () => this.#places.delete(place),
    );
    return place;
  }

  /** Closes the connection that has been idle longest; returns false if all are in use. */
  #makeRoom(): boolean {
    const idle = [...this.#places].find(({ users }) => users === 0);
    if (idle) void this.#drop(idle);
    return idle !== undefined;
  }

  async #drop(place: Place): Promise<void> {
    this.#places.delete(place);
    clearTimeout(place.idleTimer);
    const upstream = await place.opening.catch(() => undefined);
    await upstream?.client.close();
  }
}

/** The key that callers have in common who may share a connection. */
function toKey({ session, principal, client }: Call, isolation: BridgeOptions["isolation"]): string {
  const { elicitation, sampling, roots } = client.capabilities;
  const answers = canonicalJson({ elicitation, sampling, roots });
  switch (isolation) {
    case "shared":
      return answers;
    case "per-principal":
      return `${toOwner(principal)} ${answers}`;
    default:
      return `${session?.id ?? ""} ${toOwner(principal)} ${answers}`;
  }
}
