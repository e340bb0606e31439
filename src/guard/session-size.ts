import type { Session } from "../contract/call.ts";
import { jsonSize } from "../lib/json-size.ts";

/** The bytes of an empty session: its maps, streams and its row in tables. */
const emptySize = 2_048;

/** The bytes that a session takes in memory, roughly. */
export function sessionSize({ client, subscriptions, pendingElicitations }: Session): number {
  return emptySize + jsonSize(client) + textSize(subscriptions ?? []) + textSize(pendingElicitations ?? []);
}

/** The bytes of texts, each with its place in a set. */
function textSize(texts: Iterable<string>): number {
  let size = 0;
  for (const text of texts) size += text.length + 48;
  return size;
}
