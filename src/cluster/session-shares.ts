import type { RpcError } from "../errors.ts";
import { ExpiringMap } from "../lib/bounded/expiring-map.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import { Shares } from "../state/shares/shares.ts";
import type { CounterStore, EventStore } from "../state/state.ts";

export interface ShareOptions {
  /** The bytes of sessions that one node holds. */
  readonly maxBytes: number;
  /** The time that a session is stored without a request. */
  readonly idleMs: number;
  /** The time that a client has to come back to a broken stream. */
  readonly resumeMs: number;
}

/** The shares of one caller and of all callers, as multiples of the bytes that one node holds. */
const ofHolder = 4;
const ofAll = 64;
/** The part of a caller's share that is counted at once: a round trip for each event would cost more than the event. */
const partsOfShare = 256;
const maxHolders = 10_000;

/**
 * The share of each caller in what nodes store together for sessions: the sessions, and the events of their streams.
 *
 * Events of running calls are counted but never refused, since their work would be lost. The next call is refused instead.
 */
export class SessionShares {
  readonly #counters: CounterStore;
  readonly #options: ShareOptions;
  readonly #sessions: Shares;
  readonly #events: Shares;
  /** Characters of the events of a caller that were not counted yet. */
  readonly #uncounted = new ExpiringMap<{ chars: number }>(maxHolders);
  /** The callers that have no room for more events. */
  readonly #full = new ExpiringMap<true>(maxHolders);

  constructor(counters: CounterStore, options: ShareOptions) {
    this.#counters = counters;
    this.#options = options;
    const { maxBytes } = options;
    const limits = { maxOfHolder: maxBytes * ofHolder, maxOfAll: maxBytes * ofAll };
    this.#sessions = new Shares(counters, { what: "sessions", ...limits });
    this.#events = new Shares(counters, { what: "streams", ...limits });
  }

  /** Takes room for a session, or for what was added to it; rejects with `OverloadedError` where there is none. */
  takeSession(holder: string, bytes: number): Promise<void> {
    return this.#sessions.take(holder, bytes, this.#options.idleMs);
  }

  /** Counts a session again that lives on, since counters begin again. Of the nodes that use it, only one counts it. */
  async renewSession(id: string, holder: string, bytes: number): Promise<void> {
    const { idleMs } = this.#options;
    try {
      const { count } = await this.#counters.count(`session ${id} counted again`, 1, idleMs);
      if (count === 1) await this.#sessions.add(holder, bytes, idleMs);
    } catch {
      // A count that is missing lets the caller store more for a while.
    }
  }

  /** The same events, which count in the share of a caller. */
  countEvents(events: EventStore, holder: string): EventStore {
    return {
      ...events,
      append: (stream, texts, ttlMs) => {
        this.addEvents(
          holder,
          texts.reduce((sum, { length }) => sum + length, 0),
        );
        return events.append(stream, texts, ttlMs);
      },
    };
  }

  addEvents(holder: string, chars: number): void {
    const { maxBytes, resumeMs } = this.#options;
    const known = this.#uncounted.get(holder)?.value;
    const sum = (known?.chars ?? 0) + chars;
    if (sum < (maxBytes * ofHolder) / partsOfShare) {
      if (known) known.chars = sum;
      else if (this.#uncounted.size < maxHolders) this.#uncounted.set(holder, { chars: sum }, resumeMs);
      return;
    }
    this.#uncounted.delete(holder);
    void this.#countEvents(holder, sum);
  }

  /** The error for every new call of a caller whose events fill its share. */
  refusalOf(holder: string): RpcError | undefined {
    const full = this.#full.size === 0 ? undefined : this.#full.get(holder);
    return (
      full &&
      limitReached(
        LimitCode.tooMany,
        "The streams of your calls fill your share of the store",
        full.expiresAt - Date.now(),
      )
    );
  }

  async #countEvents(holder: string, chars: number): Promise<void> {
    try {
      const fullMs = await this.#events.add(holder, chars, this.#options.resumeMs);
      if (fullMs !== undefined && this.#full.size < maxHolders) this.#full.set(holder, true, fullMs);
    } catch {
      // A store that can't be reached takes no events either.
    }
  }
}
