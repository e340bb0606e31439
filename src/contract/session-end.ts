import type { Session, SessionEndListener } from "./call.ts";

/** Adds a listener of the end of a session. One of the same name is replaced. */
export function onSessionEnd(session: Session, name: string, listener: SessionEndListener): void {
  session.endListeners ??= new Map();
  session.endListeners.set(name, listener);
}

/** Tells the listeners that a session has ended; the transport calls it. Safe to call twice. */
export function endSession({ endListeners }: Session, error?: Error): void {
  if (endListeners === undefined) return;
  const listeners = [...endListeners.values()];
  endListeners.clear();
  for (const listener of listeners) listener(error);
}
