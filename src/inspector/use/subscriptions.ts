import type { Subscription } from "allspeak/client";
import type { Connection } from "../connections/connection.ts";
import { InspectorError } from "../session/failure.ts";

const maxSubscriptions = 200;

type ListName = "tools" | "prompts" | "resources";

/** The subscriptions of all connections. Changes reach the page through the connection. */
export class Subscriptions {
  readonly #open = new Map<string, Subscription>();
  readonly #onEnded: (subscription: string, reason: string) => void;
  #count = 0;

  constructor(onEnded: (subscription: string, reason: string) => void) {
    this.#onEnded = onEnded;
  }

  async open({ client }: Connection, lists: readonly ListName[], uris: readonly string[]): Promise<string> {
    if (this.#open.size >= maxSubscriptions)
      throw new InspectorError("too-much", `At most ${maxSubscriptions} subscriptions are open at a time.`);
    const subscription = await client.subscribe({
      tools: lists.includes("tools"),
      prompts: lists.includes("prompts"),
      resourceList: lists.includes("resources"),
      resources: uris,
    });
    const id = `s${++this.#count}`;
    this.#open.set(id, subscription);
    void subscription.ended.then(({ by, reason }) => {
      if (this.#open.delete(id)) this.#onEnded(id, reason?.message ?? `The ${by} ended it.`);
    });
    return id;
  }

  async close(id: string): Promise<void> {
    const subscription = this.#open.get(id);
    if (subscription === undefined) throw new InspectorError("not-found", "The subscription is not open.");
    this.#open.delete(id);
    await subscription.close();
  }
}
