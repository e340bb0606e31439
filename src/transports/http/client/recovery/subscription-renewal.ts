import type { RequestOptions } from "../../../../contract/channel.ts";
import { CallLostError, HttpError } from "../../../../errors.ts";
import { isObject, type JsonObject } from "../../../../lib/json.ts";
import { sleep } from "../../../../lib/sleep.ts";
import type { Peer } from "../../../../peer/peer.ts";
import type { RequestId } from "../../../../protocol/message.ts";
import { MetaKey } from "../../../../protocol/meta.ts";
import { Backoff, reconnectSpreadMs } from "./backoff.ts";

/** Keeps subscriptions that are one long request each: when the connection of one breaks, it is asked for again. */
export class SubscriptionRenewal {
  readonly #peer: Peer;
  readonly #closing: AbortSignal;
  /** Asked for again, and not acknowledged yet. */
  readonly #renewed = new Set<RequestId>();

  constructor(peer: Peer, closing: AbortSignal) {
    this.#peer = peer;
    this.#closing = closing;
  }

  /** Settles when the server ends the subscription or refuses it, or the caller has had enough. */
  async hold(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { signal = this.#closing } = options;
    const backOff = new Backoff(reconnectSpreadMs);
    for (let isRenewal = false; ; isRenewal = true) {
      const openedAt = performance.now();
      let id: RequestId | undefined;
      const onId = (given: RequestId) => {
        id = given;
        if (isRenewal) this.#renewed.add(given);
        options.onId?.(given);
      };
      try {
        return await this.#peer.request(method, params, { ...options, onId });
      } catch (error) {
        if (id !== undefined) this.#renewed.delete(id);
        if (signal.aborted || this.#closing.aborted || !isPassing(error, isRenewal)) throw error;
        backOff.resetAfter(performance.now() - openedAt);
        await sleep(backOff.next(), AbortSignal.any([signal, this.#closing]));
      }
    }
  }

  /** Whether a notification says that a subscription which had broken is in place again. */
  isBack(method: string, { _meta }: JsonObject): boolean {
    if (method !== "notifications/subscriptions/acknowledged" || !isObject(_meta)) return false;
    return this.#renewed.delete(_meta[MetaKey.subscriptionId] as RequestId);
  }
}

/** Whether what ended a subscription is the connection's fault; one that never worked is not held on to. */
function isPassing(error: unknown, isRenewal: boolean): boolean {
  if (error instanceof CallLostError) return isRenewal || !error.mayRetry;
  return isRenewal && error instanceof HttpError && (error.status >= 500 || error.status === 429);
}
