import type { Session } from "../contract/call.ts";
import type { EventRelay } from "../contract/server-event.ts";
import type { NodeService, SharedEvents } from "../contract/service.ts";
import type { JsonObject } from "../lib/json.ts";
import { toolOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { Revision } from "../protocol/revision.ts";
import type { StoredSession } from "../state/state.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { subscriptionsOf, unwatchAtEnd } from "./methods/session.ts";
import type { ServerEvents } from "./server-events.ts";

/** The part of a service that nodes need which share a state. */
export function createNodeService(catalog: Catalog): NodeService {
  return {
    restoreSession: (stored, revision) => restoreSession(catalog, stored, revision),
    updateSession: (session, stored) => updateSession(catalog, session, stored),
    mayRepeat: (method, params) => mayRepeat(catalog, method, params),
    shareEvents: (relay) => shareEvents(catalog.events, relay),
  };
}

function restoreSession(catalog: Catalog, stored: StoredSession, revision: Revision): Session {
  const { id, client, logLevel, lists, subscriptions } = stored;
  const watched = subscriptions.filter((uri) => catalog.watch(uri));
  const session: Session = { id, revision, client, logLevel, lists: new Set(lists) };
  if (watched.length === 0) return session;
  session.subscriptions = new Set(watched);
  unwatchAtEnd(catalog, session);
  return session;
}

/** Takes over what another node has stored of a session. A resource that there is no room to watch is left out. */
function updateSession(
  catalog: Catalog,
  session: Session,
  stored: Pick<StoredSession, "logLevel" | "subscriptions">,
): void {
  session.logLevel = stored.logLevel;
  const wanted = new Set(stored.subscriptions);
  const subscriptions = subscriptionsOf(session);
  for (const uri of subscriptions) {
    if (wanted.has(uri)) continue;
    subscriptions.delete(uri);
    catalog.unwatch(uri);
  }
  for (const uri of wanted) {
    if (!subscriptions.has(uri) && catalog.watch(uri)) subscriptions.add(uri);
  }
  if (subscriptions.size > 0) unwatchAtEnd(catalog, session);
}

function mayRepeat(catalog: Catalog, method: string, params: JsonObject): boolean {
  const row = methods.get(method);
  const tool = toolOf(row, params);
  if (tool === undefined) return row?.idempotent === true;
  const { readOnlyHint, idempotentHint } = catalog.tools.get(tool)?.options.annotations ?? {};
  return readOnlyHint === true || idempotentHint === true;
}

/** The relays of each server that has any: it may be served at several endpoints of one process. */
const relaysOf = new WeakMap<ServerEvents, EventRelay[]>();

function shareEvents(events: ServerEvents, relay: EventRelay): SharedEvents {
  const relays = relaysOf.get(events) ?? [];
  relaysOf.set(events, relays);
  relays.push(relay);
  events.relay = join(relays);
  return {
    deliver: (event) => {
      if (relays[0] === relay) events.deliver(event);
    },
    miss: () => {
      if (relays[0] === relay) events.miss();
    },
    stop: () => {
      relays.splice(relays.indexOf(relay), 1);
      if (relays.length === 0) events.relay = undefined;
    },
  };
}

/** Sends each event once through each store. */
function join(relays: readonly EventRelay[]): EventRelay {
  return {
    through: relays,
    publish: (event) => {
      const ways = new Map(relays.map((relay) => [relay.through, relay]));
      const publishing = Promise.all([...ways.values()].map((relay) => relay.publish(event))).then(() => {});
      // Callers need not wait for it.
      publishing.catch(() => {});
      return publishing;
    },
    follow: async () => relays[0]?.follow(),
  };
}
