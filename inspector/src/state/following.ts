import type { SubscriptionView } from "../../../src/inspector/messages/use.ts";
import { request } from "./link.ts";
import { dropSubscription, putSubscription, subscriptions } from "./session.ts";

/** The things of one connection that are followed together, until the person ends it in any tab. */
export type Followed = Pick<SubscriptionView, "connection"> &
  Partial<Pick<SubscriptionView, "lists" | "uris">>;

export function isFollowed(what: Followed): boolean {
  const subscription = find(what);
  return subscription !== undefined && subscription.ended === undefined;
}

/** Why the server, or the connection, ended what the person followed. */
export function whyEnded(what: Followed): string | undefined {
  return find(what)?.ended;
}

export async function follow(what: Followed): Promise<void> {
  putSubscription((await request("subscribe", what)).subscription);
}

export async function unfollow(what: Followed): Promise<void> {
  const subscription = find(what);
  if (subscription === undefined) return;
  dropSubscription(subscription.id);
  if (subscription.ended === undefined) await request("unsubscribe", { subscription: subscription.id });
}

/** The newest subscription to just these things. */
function find(what: Followed): SubscriptionView | undefined {
  return subscriptions.value.findLast((subscription) => keyOf(subscription) === keyOf(what));
}

function keyOf({ connection, uris = [], lists = [] }: Followed): string {
  return JSON.stringify([connection, uris, lists]);
}
