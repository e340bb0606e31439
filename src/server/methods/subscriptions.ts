import type { Call } from "../../contract/call.ts";
import { invalidParams } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { ChangeNotifier } from "../../peer/change-notifier.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import type { Catalog } from "../catalog.ts";
import type { MethodCall } from "./method-call.ts";
import { maySubscribe } from "./subscription-access.ts";
import { assertSubscribable, maxSubscriptions } from "./subscription-limit.ts";

interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** Tells a caller of changes until it cancels, or until the server closes, which the result says. */
export async function listen(request: MethodCall): Promise<JsonObject> {
  const { catalog, call } = request;
  const wanted = call.params.notifications as Filter;
  const hasTasks = hasCapability(catalog.capabilities, tasksCapability);
  const tasks = hasTasks && wanted.taskIds?.length ? await import("../tasks/task-notifier.ts") : undefined;
  const taskIds = tasks && (await tasks.selectOwnTasks(request, wanted.taskIds ?? []));
  const filter = { ...honoured(catalog, wanted), ...(taskIds && { taskIds }) };
  const uris = filter.resourceSubscriptions && (await watch(request, filter.resourceSubscriptions));
  const tag = { [MetaKey.subscriptionId]: call.id };
  const notify = (method: string, params: JsonObject) => call.notify(method, { ...params, _meta: tag });

  const acknowledged = notify("notifications/subscriptions/acknowledged", { notifications: filter });
  let notices: ChangeNotifier | undefined;
  const stop = catalog.events.on((news) => {
    // There is no word for the end of a visit where there is no session.
    if (news.kind === "visit") return;
    const isWanted = news.kind === "resource" ? uris?.has(news.uri) : filter[`${news.kind}ListChanged`];
    if (!isWanted) return;
    // A reader that is gone ends the call by its signal; there is nobody else to tell.
    notices ??= new ChangeNotifier(notify, () => {}, acknowledged);
    notices.notify(news);
  });
  const taskNews = tasks && new tasks.TaskNotifier(request, notify);
  try {
    await acknowledged;
    taskNews?.follow(taskIds ?? []);
    await closed(call);
    await Promise.all([notices?.idle(), taskNews?.close()]);
  } finally {
    stop();
    void taskNews?.close();
  }
  return { _meta: tag };
}

/** Makes sure that updates are heard of, and gives those that the caller may hear of. */
async function watch(request: MethodCall, named: readonly string[]): Promise<ReadonlySet<string>> {
  const uris = new Set(named);
  assertSubscribed(uris);
  for (const uri of uris) {
    if (await maySubscribe(request, uri)) request.catalog.watch(uri);
    else uris.delete(uri);
  }
  return uris;
}

function assertSubscribed(uris: ReadonlySet<string>): void {
  if (uris.size > maxSubscriptions)
    throw invalidParams(`A subscription may name at most ${maxSubscriptions} resources.`);
  for (const uri of uris) assertSubscribable(uri);
}

function closed(call: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal, closing } = call;
    const onEnd = () => {
      signal.removeEventListener("abort", onEnd);
      closing.removeEventListener("abort", onEnd);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    if (signal.aborted || closing.aborted) return onEnd();
    signal.addEventListener("abort", onEnd);
    closing.addEventListener("abort", onEnd);
  });
}

/** The part of a filter that this server can serve. */
function honoured(catalog: Catalog, filter: Filter): Filter {
  const { capabilities } = catalog;
  const can = (capability: string) => hasCapability(capabilities, capability);
  return {
    ...(filter.toolsListChanged && can("tools.listChanged") && { toolsListChanged: true }),
    ...(filter.promptsListChanged && can("prompts.listChanged") && { promptsListChanged: true }),
    ...(filter.resourcesListChanged && can("resources.listChanged") && { resourcesListChanged: true }),
    ...(filter.resourceSubscriptions &&
      can("resources.subscribe") && { resourceSubscriptions: filter.resourceSubscriptions }),
  };
}
