import type { Call } from "../../peer/call.ts";
import type { Change } from "../../peer/mount.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { Offer } from "../offer.ts";
import type { Asked } from "./handler.ts";

interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** Tells a caller of changes until it cancels, or until the server closes, which the result says. */
export async function listen({ offer, call }: Asked): Promise<JsonObject> {
  const filter = honoured(offer, call.params.notifications as Filter);
  for (const uri of filter.resourceSubscriptions ?? []) offer.watch(uri);
  const tag = { [MetaKey.subscriptionId]: call.id };
  const notify = (method: string, params: JsonObject) => call.notify(method, { ...params, _meta: tag });

  // A change must not overtake the acknowledgement, so it waits for it.
  let last: Promise<void> = notify("notifications/subscriptions/acknowledged", { notifications: filter });
  const stop = offer.changes.on((change) => {
    const notice = toNotice(change, filter);
    // A reader that is gone ends the call by its signal; there is nobody else to tell.
    if (notice) last = last.then(() => notify(notice.method, notice.params)).catch(() => {});
  });
  try {
    await closed(call);
    await last;
  } finally {
    stop();
  }
  return { _meta: tag };
}

function closed(call: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal, closing } = call;
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (closing.aborted) return resolve();
    closing.addEventListener("abort", () => resolve(), { once: true, signal });
  });
}

/** The part of a filter that this server can serve. */
function honoured(offer: Offer, filter: Filter): Filter {
  const { capabilities } = offer;
  const can = (capability: string) => hasCapability(capabilities, capability);
  return {
    ...(filter.toolsListChanged && can("tools.listChanged") && { toolsListChanged: true }),
    ...(filter.promptsListChanged && can("prompts.listChanged") && { promptsListChanged: true }),
    ...(filter.resourcesListChanged && can("resources.listChanged") && { resourcesListChanged: true }),
    ...(filter.resourceSubscriptions &&
      can("resources.subscribe") && { resourceSubscriptions: filter.resourceSubscriptions }),
  };
}

function toNotice(change: Change, filter: Filter): { method: string; params: JsonObject } | undefined {
  if (change.kind === "resource") {
    if (!filter.resourceSubscriptions?.includes(change.uri)) return undefined;
    return { method: "notifications/resources/updated", params: { uri: change.uri } };
  }
  return filter[`${change.kind}ListChanged`]
    ? { method: `notifications/${change.kind}/list_changed`, params: {} }
    : undefined;
}
