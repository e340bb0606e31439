import type { RequestOptions } from "../../../../contract/channel.ts";
import { CallLostError, HttpError } from "../../../../errors.ts";
import { sleep } from "../../../../lib/async/sleep.ts";
import { isObject, type JsonObject } from "../../../../lib/json.ts";
import type { Peer } from "../../../../peer/peer.ts";
import type { RequestId } from "../../../../protocol/message.ts";
import { MetaKey } from "../../../../protocol/meta.ts";
import { RetryDelay, reconnectSpreadMs } from "./retry-delay.ts";

/**
 * Renews subscriptions: each is one long request, which is sent again when its connection breaks.
 *
 * basic/patterns/subscriptions#graceful-closure (2026-07-28)
 */
export class SubscriptionRenewal {
  readonly #peer: Peer;
  readonly #closing: AbortSignal;
  /** Requests that were sent again, and are not acknowledged yet. */
  readonly #renewed = new Set<RequestId>();

  constructor(peer: Peer, closing: AbortSignal) {
    this.#peer = peer;
    this.#closing = closing;
  }

  /** Settles when the server ends or refuses the subscription, or the caller aborts it. */
  async hold(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { signal = this.#closing } = options;
    const delay = new RetryDelay(reconnectSpreadMs);
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
        if (signal.aborted || this.#closing.aborted || !isTransient(error, isRenewal)) throw error;
        delay.resetAfter(performance.now() - openedAt);
        await sleep(delay.next(), AbortSignal.any([signal, this.#closing]));
      }
    }
  }

  /** True for the notification that acknowledges a renewed subscription. */
  isBack(method: string, { _meta }: JsonObject): boolean {
    if (method !== "notifications/subscriptions/acknowledged" || !isObject(_meta)) return false;
    return this.#renewed.delete(_meta[MetaKey.subscriptionId] as RequestId);
  }
}

/** True for an error of the connection; a subscription that never worked is not renewed. */
function isTransient(error: unknown, isRenewal: boolean): boolean {
  if (error instanceof CallLostError) return isRenewal || !error.mayRetry;
  return isRenewal && error instanceof HttpError && (error.status >= 500 || error.status === 429);
}
