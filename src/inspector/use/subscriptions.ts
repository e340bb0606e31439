import type { Subscription } from "allspeak/client";
import type { InspectedConnection } from "../connections/connection.ts";
import type { SubscriptionView } from "../messages/use.ts";
import { InspectorError } from "../session/failure.ts";

const maxSubscriptions = 200;

type Wanted = Pick<SubscriptionView, "lists" | "uris">;

export interface SubscriptionListener {
  onSubscription(subscription: SubscriptionView): void;
  onClosed(id: string): void;
}

interface OpenSubscription {
  readonly view: SubscriptionView;
  readonly subscription: Subscription;
}

/** The subscriptions of all connections. Changes reach the page through the connection. */
export class PageSubscriptions {
  /** Subscriptions by what they follow, also those that are still being opened. */
  readonly #all = new Map<string, Promise<OpenSubscription>>();
  readonly #open = new Map<string, OpenSubscription>();
  readonly #listener: SubscriptionListener;
  #count = 0;

  constructor(listener: SubscriptionListener) {
    this.#listener = listener;
  }

  get views(): readonly SubscriptionView[] {
    return [...this.#open.values()].map(({ view }) => view);
  }

  async open(connection: InspectedConnection, wanted: Wanted): Promise<SubscriptionView> {
    const key = keyOf({ connection: connection.id, ...wanted });
    const known = this.#all.get(key);
    if (known !== undefined) return (await known).view;
    if (this.#all.size >= maxSubscriptions)
      throw new InspectorError("too-much", `At most ${maxSubscriptions} subscriptions are open at a time.`);
    const opening = this.#subscribe(connection, wanted);
    this.#all.set(key, opening);
    try {
      return (await opening).view;
    } catch (error) {
      this.#all.delete(key);
      throw error;
    }
  }

  async close(id: string): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) throw new InspectorError("not-found", "The subscription is not open.");
    this.#forget(open);
    this.#listener.onClosed(id);
    await open.subscription.close();
  }

  async #subscribe(
    { id: connection, client }: InspectedConnection,
    wanted: Wanted,
  ): Promise<OpenSubscription> {
    const { lists, uris } = wanted;
    const subscription = await client.subscribe({
      tools: lists.includes("tools"),
      prompts: lists.includes("prompts"),
      resourceList: lists.includes("resources"),
      resources: uris,
    });
    const view = { id: `s${++this.#count}`, connection, lists, uris };
    const open = { view, subscription };
    this.#open.set(view.id, open);
    this.#listener.onSubscription(view);
    void subscription.ended.then(({ by, reason }) => {
      if (!this.#forget(open)) return;
      this.#listener.onSubscription({ ...view, ended: reason?.message ?? `The ${by} ended it.` });
    });
    return open;
  }

  #forget({ view }: OpenSubscription): boolean {
    this.#all.delete(keyOf(view));
    return this.#open.delete(view.id);
  }
}

function keyOf({ connection, lists, uris }: Wanted & Pick<SubscriptionView, "connection">): string {
  return JSON.stringify([connection, lists, uris]);
}
