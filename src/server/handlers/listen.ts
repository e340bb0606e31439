import type { Call } from "../../peer/call.ts";
import { Notices } from "../../peer/notices.ts";
import { invalidParams } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { Offer } from "../offer.ts";
import type { Asked } from "./handler.ts";
import { mayWatch } from "./may-watch.ts";
import { assertSubscribable, maxSubscriptions } from "./subscription-limit.ts";

interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** Tells a caller of changes until it cancels, or until the server closes, which the result says. */
export async function listen(asked: Asked): Promise<JsonObject> {
  const { offer, call } = asked;
  const wanted = call.params.notifications as Filter;
  const tasks = wanted.taskIds?.length ? await import("../tasks/listen-to-tasks.ts") : undefined;
  const taskIds = tasks && (await tasks.chooseTasks(asked, wanted.taskIds ?? []));
  const filter = { ...honoured(offer, wanted), ...(taskIds && { taskIds }) };
  const uris = new Set(filter.resourceSubscriptions);
  assertSubscribed(uris);
  for (const uri of uris) {
    if (await mayWatch(asked, uri)) offer.watch(uri);
    else uris.delete(uri);
  }
  const tag = { [MetaKey.subscriptionId]: call.id };
  const notify = (method: string, params: JsonObject) => call.notify(method, { ...params, _meta: tag });

  const acknowledged = notify("notifications/subscriptions/acknowledged", { notifications: filter });
  // A reader that is gone ends the call by its signal; there is nobody else to tell.
  const notices = new Notices(notify, () => {}, acknowledged);
  const stop = offer.changes.on((news) => {
    // There is no word for the end of a visit where there is no session.
    if (news.kind === "visit") return;
    const isWanted = news.kind === "resource" ? uris.has(news.uri) : filter[`${news.kind}ListChanged`];
    if (isWanted) notices.tell(news);
  });
  const taskNews = tasks && new tasks.TaskNews(asked, notify);
  try {
    await acknowledged;
    taskNews?.follow(taskIds ?? []);
    await closed(call);
    await Promise.all([notices.idle(), taskNews?.close()]);
  } finally {
    stop();
    void taskNews?.close();
  }
  return { _meta: tag };
}

function assertSubscribed(uris: ReadonlySet<string>): void {
  if (uris.size > maxSubscriptions)
    throw invalidParams(`A subscription may name at most ${maxSubscriptions} resources.`);
  for (const uri of uris) assertSubscribable(uri);
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
