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

/** Notifies the listeners that a session has ended; the transport calls it. Safe to call twice. */
export function endSession({ endListeners }: Session, error?: Error): void {
  if (endListeners === undefined) return;
  const listeners = [...endListeners.values()];
  endListeners.clear();
  for (const listener of listeners) listener(error);
}
