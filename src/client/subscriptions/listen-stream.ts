import { Deadline, type Timeout } from "../../contract/deadline.ts";
import type { Change } from "../../contract/server-event.ts";
import { CancelledError, InvalidResponseError, RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { toChange } from "../incoming/notifications.ts";
import type { SubscriptionParts } from "./resource-subscriptions.ts";
import {
  fromWireFilter,
  type Subscription,
  type SubscriptionEnd,
  type SubscriptionFilter,
  toWireFilter,
} from "./subscription.ts";

const method = "subscriptions/listen";
const noTimeout: Timeout = { idle: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/**
 * Opens a subscription as one request that stays open.
 *
 * basic/patterns/subscriptions#opening-a-stream (2026-07-28)
 */
export async function openListenStream(
  parts: SubscriptionParts & { readonly timeout: Timeout | undefined },
  filter: SubscriptionFilter,
  onChange: (change: Change) => void,
): Promise<Subscription> {
  const stream = new Stream(parts, onChange);
  const ended = stream.open(filter);
  const close = async () => {
    stream.close();
    await ended;
  };
  const late = new Promise<never>((_, reject) => {
    const deadline = new Deadline(method, parts.timeout, reject);
    void Promise.race([stream.acknowledged, ended]).finally(() => deadline.stop());
  });
  try {
    const agreed = await Promise.race([stream.acknowledged, ended.then(toEarlyEnd), late]);
    return { agreed, ended, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function toEarlyEnd({ reason }: SubscriptionEnd): never {
  throw reason ?? new InvalidResponseError("The server ended the subscription before acknowledging it.");
}

/** The notifications that arrive under the id of one `subscriptions/listen`. */
class Stream {
  readonly acknowledged: Promise<SubscriptionFilter>;
  readonly #parts: SubscriptionParts;
  readonly #onChange: (change: Change) => void;
  readonly #closing = new AbortController();
  #acknowledge: (filter: SubscriptionFilter) => void = () => {};
  #isAcknowledged = false;

  constructor(parts: SubscriptionParts, onChange: (change: Change) => void) {
    this.#parts = parts;
    this.#onChange = onChange;
    this.acknowledged = new Promise((resolve) => {
      this.#acknowledge = resolve;
    });
  }

  async open(filter: SubscriptionFilter): Promise<SubscriptionEnd> {
    const { requests, notifications } = this.#parts;
    let stop: (() => void) | undefined;
    try {
      const params = { notifications: toWireFilter(filter) };
      await requests.send(method, params, {
        signal: this.#closing.signal,
        timeout: noTimeout,
        onId: (id) => {
          stop?.();
          stop = notifications.listenTo(id, (name, params) => this.#onNotification(name, params));
        },
      });
      return { by: "server" };
    } catch (error) {
      return this.#toEnd(error as Error);
    } finally {
      stop?.();
    }
  }

  close(): void {
    this.#closing.abort("the subscription was closed");
  }

  #toEnd(reason: Error): SubscriptionEnd {
    if (this.#closing.signal.aborted) return { by: "client" };
    const byServer = reason instanceof CancelledError || reason instanceof RpcError;
    return { by: byServer ? "server" : "connection", reason };
  }

  #onNotification(name: string, params: JsonObject): void {
    if (name === "notifications/subscriptions/acknowledged") {
      this.#isAcknowledged = true;
      this.#acknowledge(fromWireFilter(params.notifications));
      return;
    }
    if (!this.#isAcknowledged) {
      this.#parts.report(
        new InvalidResponseError(`Ignored ${name}: its subscription is not acknowledged yet.`),
      );
      return;
    }
    const change = toChange(name, params);
    if (change) this.#onChange(change);
  }
}
