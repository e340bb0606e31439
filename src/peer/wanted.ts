import type { Session } from "./call.ts";
import type { News } from "./mount.ts";

/** Whether a session is to hear of this. */
export function isWanted(news: News, { lists, subscriptions, visits }: Session): boolean {
  switch (news.kind) {
    case "resource":
      return subscriptions.has(news.uri);
    case "visit":
      return visits.delete(news.id);
    default:
      return lists.has(news.kind);
  }
}
