import type { NotificationSender } from "../contract/service.ts";
import type { Method } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { revisions } from "../protocol/revisions/index.ts";
import type { UpstreamPool } from "./upstream-pool.ts";

const rootsChanged = "notifications/roots/list_changed";

/** The notifications of clients that the servers behind a bridge get. */
export function passedNotifications(): readonly Method[] {
  const row = methods.get(rootsChanged);
  return row ? [row] : [];
}

/**
 * Notifies the server that the roots of a client have changed, over the connections that serve only this client: over
 * any other, the server could not know whose roots have changed.
 */
export async function passChangedRoots(
  method: string,
  sender: NotificationSender,
  { pool, report }: { readonly pool: UpstreamPool; readonly report: (problem: Error) => void },
): Promise<void> {
  const revision = revisions.find(({ version }) => version === sender.revision);
  const isDeclared = hasCapability(sender.client.capabilities, "roots.listChanged");
  if (method !== rootsChanged || !revision?.methods.has(method) || !isDeclared) return;
  for await (const { client } of pool.onlyFor({ ...sender, revision }))
    await client.notifyRootsChanged().catch(report);
}
