import type { ValueStore } from "../state/state.ts";

/** The time within which a user completes a URL elicitation. */
const elicitedMs = 24 * 3_600_000;

/** Notes which session was asked to visit a URL, so that the node where it is completed can name it. */
export async function noteElicited(values: ValueStore, id: string, session: string): Promise<void> {
  await values.put(toKey(id), session, elicitedMs);
}

export async function findElicited(values: ValueStore, id: string): Promise<string | undefined> {
  return values.get(toKey(id));
}

function toKey(id: string): string {
  return `elicited/${id}`;
}
