import type { Change } from "../../contract/server-event.ts";
import type { Notifications } from "../incoming/notifications.ts";
import type { Report } from "../report.ts";
import type { Requests } from "../requests.ts";
import { covers, type Subscription, type SubscriptionEnd, type SubscriptionFilter } from "./subscription.ts";

interface Held {
  holders: number;
  readonly ready: Promise<unknown>;
}

export interface SubscriptionParts {
  readonly requests: Requests;
  readonly notifications: Notifications;
  readonly closed: Promise<Error>;
  readonly report: Report;
}

/**
 * Subscriptions by `resources/subscribe`, one for each resource; list changes come unasked.
 *
 * server/resources#subscriptions (2025-11-25)
 */
export class ResourceSubscriptions {
  readonly #parts: SubscriptionParts;
  readonly #held = new Map<string, Held>();
  /** Unsubscriptions on their way, by URI; a new subscription waits for them, else they would end it. */
  readonly #releasing = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
    void parts.closed.then(() => {
      this.#isClosed = true;
    });
    parts.notifications.renewWith(() => this.#renew());
  }

  async open(filter: SubscriptionFilter, onChange: (change: Change) => void): Promise<Subscription> {
    const { notifications, closed } = this.#parts;
    const uris = [...new Set(filter.resources)];
    // Before the server knows, so that no change is missed.
    const stop = notifications.listenToChanges((change) => covers(filter, change) && onChange(change));
    const releaseAll = async () => {
      stop();
      await Promise.all(uris.map((uri) => this.#release(uri)));
    };
    const outcomes = await Promise.allSettled(uris.map((uri) => this.#hold(uri)));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed) {
      await releaseAll();
      throw failed.reason;
    }

    let end: (end: SubscriptionEnd) => void = () => {};
    const ended = new Promise<SubscriptionEnd>((resolve) => {
      end = resolve;
    });
    void closed.then((reason) => end({ by: "connection", reason }));
    let closing: Promise<void> | undefined;
    const close = () => {
      end({ by: "client" });
      closing ??= releaseAll();
      return closing;
    };
    return { agreed: filter, ended, close, [Symbol.asyncDispose]: close };
  }

  /** Subscribes to a resource, once for all subscriptions to it here. */
  #hold(uri: string): Promise<unknown> {
    const held = this.#held.get(uri);
    if (held) {
      held.holders++;
      return held.ready;
    }
    const ready = this.#subscribe(uri);
    this.#held.set(uri, { holders: 1, ready });
    return ready;
  }

  async #subscribe(uri: string): Promise<void> {
    const releasing = this.#releasing.get(uri);
    if (releasing !== undefined) await releasing;
    await this.#parts.requests.send("resources/subscribe", { uri });
  }

  async #renew(): Promise<void> {
    const uris = [...this.#held.keys()];
    await Promise.all(uris.map((uri) => this.#parts.requests.send("resources/subscribe", { uri })));
  }

  async #release(uri: string): Promise<void> {
    const held = this.#held.get(uri);
    if (held === undefined || --held.holders > 0) return;
    this.#held.delete(uri);
    const releasing = this.#unsubscribe(uri, held);
    this.#releasing.set(uri, releasing);
    await releasing;
    if (this.#releasing.get(uri) === releasing) this.#releasing.delete(uri);
  }

  async #unsubscribe(uri: string, held: Held): Promise<void> {
    const wasSubscribed = await held.ready.then(
      () => true,
      () => false,
    );
    if (!wasSubscribed || this.#isClosed) return;
    try {
      await this.#parts.requests.send("resources/unsubscribe", { uri });
    } catch (error) {
      // The listeners are gone by now, so a server that still notifies does no harm.
      if (!this.#isClosed) this.#parts.report(error as Error);
    }
  }
}
