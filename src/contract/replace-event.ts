import type { Audience, ServerEvent } from "./server-event.ts";

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
