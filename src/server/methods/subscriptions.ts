import type { Session, SessionChange } from "../../contract/call.ts";
import type { ResourceAccess } from "../../contract/mount/mount.ts";
import { waitAtMost } from "../../lib/async/wait-at-most.ts";
import { TurnYielder } from "../../lib/async/yield-turn.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { noRoomToWatch } from "../catalog/mount-table.ts";
import type { MethodCall } from "./method-call.ts";
import { type Filter, OpenSubscription, type WatchedUris } from "./open-subscription.ts";
import { requireSession } from "./required-session.ts";
import { accessTo } from "./resources/resource-access.ts";
import { isUnwatchedAtEnd, subscriptionsOf, unwatchAtEnd } from "./session.ts";

// Subscriptions stay in memory for as long as their session or stream lives.
const maxSubscriptions = 10_000;
const maxListened = 1_000;
const mountsMs = 2_000;
const maxUriLength = 8_192;
/** Characters of all subscriptions of a session: nodes store them with it. */
const maxSubscribedChars: number = 1024 ** 2;

/**
 * Answers `resources/subscribe`: later updates of the resource are sent to the session.
 *
 * A hidden resource is treated like one that does not exist: the mounts decide, and no update ever comes.
 *
 * server/resources#subscriptions (2025-11-25)
 */
export async function subscribe(request: MethodCall): Promise<JsonObject> {
  const { catalog, call } = request;
  const uri = call.params.uri as string;
  const session = requireSession(call);
  const subscriptions = subscriptionsOf(session);
  assertUriLength(uri);
  const access = await accessTo(request, uri);
  // A session that has ended meanwhile would never give the subscription back.
  call.signal.throwIfAborted();
  const { begin, undo } = subscriptionOf(request, session, uri);
  if (subscriptions.has(uri)) {
    call.onChanged?.({ apply: begin, undo });
    return {};
  }
  if (subscriptions.size >= maxSubscriptions) {
    throw invalidParams(`A session may have at most ${maxSubscriptions} subscriptions; end some first.`);
  }
  if (charsOf(subscriptions) + uri.length > maxSubscribedChars) {
    throw invalidParams(
      `The subscriptions of a session may have at most ${maxSubscribedChars} characters; end some first.`,
    );
  }
  if (!catalog.watch(uri, call)) throw noRoomToWatch();
  const refusal = access === "usable" ? undefined : await catalog.watchRefusal(uri);
  const isWatched = refusal === undefined && access !== "hidden" && !call.signal.aborted;
  if (isWatched && !subscriptions.has(uri)) {
    subscriptions.add(uri);
    unwatchAtEnd(catalog, session);
    call.onChanged?.({ apply: begin, undo });
    await setSubscriptionsOfMounts(request);
  } else catalog.unwatch(uri);
  if (refusal) throw refusal;
  return {};
}

export function unsubscribe(request: MethodCall): JsonObject {
  const { call } = request;
  const uri = call.params.uri as string;
  const session = requireSession(call);
  const { end, undo } = subscriptionOf(request, session, uri);
  end();
  call.onChanged?.({ apply: end, undo });
  void setSubscriptionsOfMounts(request);
  return {};
}

/** Subscribes at the servers behind mounts, too, for this session alone. One that hangs is not waited for. */
async function setSubscriptionsOfMounts({ catalog, call }: MethodCall): Promise<void> {
  const passing = catalog.passToMounts("setSubscriptions", call);
  if (passing !== undefined) await waitAtMost(mountsMs, passing, () => undefined);
}

/** Begins and ends the subscription of a session to a resource, until the session ends. */
function subscriptionOf({ catalog, call }: MethodCall, session: Session, uri: string) {
  const subscriptions = subscriptionsOf(session);
  const begin = () => {
    if (!isUnwatchedAtEnd(session) || subscriptions.has(uri)) return;
    if (catalog.watch(uri, call)) subscriptions.add(uri);
  };
  const end = () => {
    if (isUnwatchedAtEnd(session) && subscriptions.delete(uri)) catalog.unwatch(uri);
  };
  const undo: SessionChange["undo"] = (stored) => (stored.subscriptions.includes(uri) ? begin() : end());
  return { begin, end, undo };
}

/**
 * Answers `subscriptions/listen`: notifies the caller of changes until it cancels or the server closes.
 *
 * One promise lasts as long as the subscription. It knows nothing of the request, which is free meanwhile.
 *
 * basic/patterns/subscriptions#opening-a-stream (2026-07-28)
 */
export function openSubscription(request: MethodCall): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    beginSubscription(request).then((subscription) => subscription.keepOpen({ resolve, reject }), reject);
  });
}

async function beginSubscription(request: MethodCall): Promise<OpenSubscription> {
  const { catalog, call } = request;
  const wanted = call.params.notifications as Filter;
  const hasTasks = hasCapability(catalog.capabilities, tasksCapability);
  const tasks =
    hasTasks && wanted.taskIds?.length ? await import("../tasks/worker/task-notifier.ts") : undefined;
  const taskIds = tasks && (await tasks.selectOwnTasks(request, wanted.taskIds ?? []));
  const filter = { ...toSupported(catalog, wanted), ...(taskIds && { taskIds }) };
  const named = filter.resourceSubscriptions && (await readAccess(request, filter.resourceSubscriptions));

  const { following } = catalog.events;
  if (following !== undefined) await following;
  const uris = named && (await watchAll(request, named));
  const subscription = new OpenSubscription(request, filter, uris);
  if (tasks)
    subscription.follow(
      new tasks.TaskNotifier(request, (method, params) => subscription.notify(method, params)),
    );
  return subscription;
}

/** The part of a filter that this server can serve. basic/patterns/subscriptions#acknowledgment (2026-07-28) */
function toSupported(catalog: Catalog, filter: Filter): Filter {
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

type AccessByUri = ReadonlyMap<string, ResourceAccess>;

/** The resources that a caller names, and whether it may receive their updates. */
async function readAccess(request: MethodCall, named: readonly string[]): Promise<AccessByUri> {
  const uris = new Set(named);
  if (uris.size > maxListened)
    throw invalidParams(`A subscription may name at most ${maxListened} resources; open several.`);
  for (const uri of uris) assertUriLength(uri);
  // Each is matched with every template, and no check needs to wait for anything.
  const turns = new TurnYielder();
  const access = new Map<string, ResourceAccess>();
  for (const uri of uris) {
    access.set(uri, await accessTo(request, uri));
    await turns.afterCall();
  }
  return access;
}

/** Watches all of the resources in the mounts, or none; then ends those that the mounts refuse, and hidden ones. */
async function watchAll({ catalog, call }: MethodCall, access: AccessByUri): Promise<WatchedUris> {
  const watched = new Set<string>();
  const end = (uri: string) => watched.delete(uri) && catalog.unwatch(uri);
  for (const uri of access.keys()) {
    if (!catalog.watch(uri, call)) {
      for (const other of [...watched]) end(other);
      throw noRoomToWatch();
    }
    watched.add(uri);
  }
  const unsure = [...access.keys()].filter((uri) => access.get(uri) !== "usable");
  await Promise.all(unsure.map(async (uri) => (await catalog.watchRefusal(uri)) && end(uri)));
  const agreed = [...watched];
  for (const uri of unsure) if (access.get(uri) === "hidden") end(uri);
  return { watched, agreed };
}

function assertUriLength(uri: string): void {
  if (uri.length > maxUriLength)
    throw invalidParams(`uri must be at most ${maxUriLength} characters to be subscribed to.`);
}

function charsOf(texts: Iterable<string>): number {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return chars;
}
