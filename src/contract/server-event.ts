import type { JsonObject } from "../lib/json.ts";
import { methods } from "../protocol/method-table.ts";
import { type LogLevel, meetsLogLevel } from "../protocol/model/logging.ts";
import type { Session } from "./call.ts";
import { type Principal, toOwner } from "./caller/principal.ts";

/**
 * The sessions that an event is for; without it, all of them and all listeners. Callers without a session, which listen,
 * are named by `toListener`.
 */
export interface Audience {
  /** The only sessions that receive it. */
  readonly sessions?: readonly string[] | undefined;
  /** Sessions that receive it another way; an event has these or the only ones. */
  readonly except?: readonly string[] | undefined;
}

/** A change in what a server offers. */
export type Change = Audience &
  (
    | { readonly kind: "tools" | "prompts" | "resources" }
    | { readonly kind: "resource"; readonly uri: string }
  );

/** A log message that belongs to no call. */
export interface LogEvent extends Audience {
  readonly kind: "log";
  readonly level: LogLevel;
  readonly logger?: string | undefined;
  readonly data: unknown;
  /** The lowest level for sessions that have not set one. */
  readonly defaultLevel: LogLevel;
  /** The number of the place that it waits in, among those for the same sessions; a newer message takes the place of an unsent one. */
  readonly place?: number | undefined;
}

/** An event that a server announces without being asked: a change, a log message, or the completion of a URL elicitation. */
export type ServerEvent = Change | LogEvent | ElicitationEvent;

/** The completion of a URL elicitation. */
export interface ElicitationEvent extends Audience {
  readonly kind: "elicitation";
  readonly id: string;
  /** The session that was asked, where another node may have asked it. */
  readonly session?: string | undefined;
}

/** The way of a server's events through all nodes that serve it, this one included. */
export interface EventRelay {
  /** The store that it goes through: an event goes once through each. */
  readonly through: object;
  /** Settles when the event outlives this process. A rejection is handled, but whoever waits gets to know it. */
  publish(event: ServerEvent): Promise<void>;
  /** Settles when the events that are published from now on, by any node, will be delivered here. */
  follow(): Promise<void>;
}

/** The name of the notification that announces a kind of change. */
function announcementOf(kind: Change["kind"]): string {
  for (const { announces, name } of methods.values()) if (announces === kind) return name;
  return "";
}

/** The name of callers without a session, beside the ids of sessions: those of one principal receive the same events. */
export function toListener(principal: Principal | undefined): string {
  return ` ${toOwner(principal)}`;
}

/** Returns true when an event is for a session, by its id, or for listeners, by their name. */
export function isReceiver({ sessions, except }: Audience, id: string): boolean {
  return sessions?.includes(id) !== false && !except?.includes(id);
}

/** Returns true when a session receives the notification of an event. */
export function isSubscribed(event: ServerEvent, session: Session): boolean {
  if (!isReceiver(event, session.id)) return false;
  switch (event.kind) {
    case "resource":
      return session.subscriptions?.has(event.uri) === true;
    case "elicitation":
      return event.session === session.id || session.pendingElicitations?.has(event.id) === true;
    case "log":
      return meetsLogLevel(event.level, session.logLevel ?? event.defaultLevel);
    default:
      return session.lists.has(event.kind);
  }
}

const maxElicitations = 1000;

/** Notifies a session when the visit of a page is over. */
export function expectElicitation(session: Session, id: string): void {
  session.pendingElicitations ??= new Set();
  if (session.pendingElicitations.size < maxElicitations) session.pendingElicitations.add(id);
}

/** All changes that a session is notified of, for a client that has missed some: it must read everything again. */
export function toAllChanges({ lists, subscriptions }: Session): readonly Change[] {
  const resources = [...(subscriptions ?? [])].map((uri): Change => ({ kind: "resource", uri }));
  return [...[...lists].map((kind) => ({ kind }) as Change), ...resources];
}

/** The key under which an event replaces an older one that has not been sent to the same client. */
export function toEventKey(event: ServerEvent): string {
  switch (event.kind) {
    case "resource":
      return `resource ${event.uri}`;
    case "elicitation":
      return `elicitation ${event.id}`;
    case "log":
      return `log ${event.place} ${receiversKey(event)}`;
    default:
      return event.kind;
  }
}

/** The sessions that a log message is for, by the first of them: a list of all would be a key of any length. */
export function receiversKey({ sessions }: Audience): string {
  return sessions?.[0] ?? "";
}

export function toNotification(event: ServerEvent): [method: string, params: JsonObject] {
  switch (event.kind) {
    case "resource":
      return [announcementOf(event.kind), { uri: event.uri }];
    case "elicitation":
      return ["notifications/elicitation/complete", { elicitationId: event.id }];
    case "log": {
      const { level, logger, data } = event;
      return ["notifications/message", { level, ...(logger !== undefined && { logger }), data }];
    }
    default:
      return [announcementOf(event.kind), {}];
  }
}

/** The event that replaces an older one of its key on the way to many clients: a change for those who receive either. */
export function replaceEvent(older: ServerEvent | undefined, event: ServerEvent): ServerEvent {
  return older && event.kind !== "log" ? { ...event, ...joinAudiences(older, event) } : event;
}

function joinAudiences(one: Audience, other: Audience): Audience {
  const { sessions, except } = one;
  if (sessions && other.sessions) return { sessions: [...new Set([...sessions, ...other.sessions])], except };
  if (sessions) return joinAudiences(other, one);
  const isLeftOut = (id: string) => !(other.sessions?.includes(id) ?? !other.except?.includes(id));
  return { sessions, except: except?.filter(isLeftOut) };
}
