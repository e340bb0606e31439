import type { Session, SessionEndListener } from "./call.ts";

/** Adds a listener of the end of a session, until the returned function is called. One of the same name is replaced. */
export function onSessionEnd(
  session: Session,
  name: string | object,
  listener: SessionEndListener,
): () => void {
  session.endListeners ??= new Map();
  const listeners = session.endListeners.set(name, listener);
  return () => void listeners.delete(name);
}

/** Marks a session as ended and notifies its listeners; the transport calls it. Safe to call twice. */
export function endSession(session: Session, error?: Error): void {
  session.hasEnded = true;
  const { endListeners } = session;
  if (endListeners === undefined) return;
  const listeners = [...endListeners.values()];
  endListeners.clear();
  for (const listener of listeners) listener(error);
}
