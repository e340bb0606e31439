import type { Session } from "../contract/call.ts";
import type { ServerEvent } from "../contract/mount.ts";

/** Whether a session is to hear of this. */
export function isSubscribed(news: ServerEvent, { lists, subscriptions, visits }: Session): boolean {
  switch (news.kind) {
    case "resource":
      return subscriptions.has(news.uri);
    case "visit":
      return visits.delete(news.id);
    default:
      return lists.has(news.kind);
  }
}
