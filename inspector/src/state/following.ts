import { signal } from "@preact/signals";
import { request } from "./link.ts";
import { endedSubscriptions } from "./session.ts";

/** The things of one connection that are followed together. */
export interface Followed {
  readonly connection: string;
  readonly uris?: readonly string[];
  readonly lists?: readonly ("tools" | "prompts" | "resources")[];
}

/** Subscriptions by what they follow. They outlive the view in which they began, until the person ends them. */
const subscriptions = signal<ReadonlyMap<string, string>>(new Map());

export function isFollowed(what: Followed): boolean {
  const subscription = subscriptions.value.get(keyOf(what));
  return subscription !== undefined && endOf(subscription) === undefined;
}

/** Why the server, or the connection, ended what the person followed. */
export function whyEnded(what: Followed): string | undefined {
  const subscription = subscriptions.value.get(keyOf(what));
  return subscription === undefined ? undefined : endOf(subscription)?.reason;
}

export async function follow(what: Followed): Promise<void> {
  const { subscription } = await request("subscribe", what);
  subscriptions.value = new Map([...subscriptions.value, [keyOf(what), subscription]]);
}

export async function unfollow(what: Followed): Promise<void> {
  const key = keyOf(what);
  const subscription = subscriptions.value.get(key);
  subscriptions.value = new Map([...subscriptions.value].filter(([other]) => other !== key));
  if (subscription !== undefined && endOf(subscription) === undefined)
    await request("unsubscribe", { subscription });
}

function endOf(subscription: string) {
  return endedSubscriptions.value.find((ended) => ended.subscription === subscription);
}

function keyOf({ connection, uris = [], lists = [] }: Followed): string {
  return JSON.stringify([connection, uris, lists]);
}
