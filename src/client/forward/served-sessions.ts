import type { Call, Session } from "../../contract/call.ts";
import { toOwner } from "../../contract/caller/principal.ts";
import { type ServerEvent, toListener } from "../../contract/server-event.ts";
import { onSessionEnd } from "../../contract/session-end.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { LogMessage } from "../incoming/notifications.ts";
import { defaultLevel } from "./pass-log.ts";

/** The part of a call that identifies the user of a connection. */
export type User = Pick<Call, "session" | "principal" | "address">;

/** The key of a user. Callers without a principal are distinguished by their sessions, or else by their addresses. */
export function toUserKey({ principal, session, address }: User): string {
  if (principal) return toOwner(principal);
  return session ? `session ${session.id}` : `address ${address ?? ""}`;
}

/** Principals without sessions that are distinguished on one connection; from then on, all callers count as its users. */
const maxPrincipals = 100;

/** The sessions that have used a connection: they receive what its server sends outside their calls. */
export class ServedSessions {
  /** With the function that stops waiting for the end of each. */
  readonly #sessions = new Map<Session, () => void>();
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #endListeners = new Set<() => void>();
  /** The names of callers without sessions. */
  readonly #principals = new Set<string>();
  #user: string | undefined;
  #hasOneUser = true;
  #onlySession: string | undefined;

  /** The levels that the sessions have set. */
  get levels(): readonly LogLevel[] {
    return [...this.#sessions.keys()].flatMap(({ logLevel }) => logLevel ?? []);
  }

  /** The session that alone has ever used the connection, by its id. */
  get onlySession(): string | undefined {
    return this.#onlySession;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The sessions, by their ids, and the names of callers without one that have used it; undefined for too many to name. */
  get receivers(): readonly string[] | undefined {
    if (this.#principals.size > maxPrincipals) return undefined;
    return [...this.#ids, ...this.#principals];
  }

  /** Counts a user who receives nothing by that. */
  count(user: User): void {
    const key = toUserKey(user);
    const id = user.session?.id;
    if (this.#user === undefined) this.#onlySession = id;
    else if (this.#onlySession !== id) this.#onlySession = undefined;
    this.#user ??= key;
    if (this.#user !== key) this.#hasOneUser = false;
    if (user.session === undefined && this.#principals.size <= maxPrincipals)
      this.#principals.add(toListener(user.principal));
  }

  /** Counts a user, whose session receives messages from now on; returns false if it did before, or if none lives. */
  add(user: User): boolean {
    this.count(user);
    const { session } = user;
    if (session === undefined || session.hasEnded || this.#sessions.has(session)) return false;
    this.#sessions.set(
      session,
      onSessionEnd(session, this, () => {
        this.#sessions.delete(session);
        if (this.#sessions.size === 0) for (const listener of this.#endListeners) listener();
      }),
    );
    return true;
  }

  /** Calls the listener whenever the last session has ended. */
  onLastEnd(listener: () => void): void {
    this.#endListeners.add(listener);
  }

  /** Reports events until the returned function is called. */
  onEvent(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Passes on a log message to the sessions that have not got it with a call. It may be about any call, also about one
   * that has ended, so nobody gets it where the connection has had several users.
   */
  log({ level, logger, data }: LogMessage, calls: readonly Call[]): void {
    if (!this.#hasOneUser) return;
    const informed = new Set(calls.map(({ session }) => session));
    const sessions = [...this.#sessions.keys()].filter((session) => !informed.has(session));
    if (sessions.length === 0) return;
    this.#emit({ kind: "log", level, logger, data, defaultLevel, sessions: sessions.map(({ id }) => id) });
  }

  /** Passes on the completion of a URL elicitation, to the session here that was given its id: others may have the same. */
  completeElicitation(id: string): void {
    this.#emit({ kind: "elicitation", id, sessions: this.#ids });
  }

  close(): void {
    for (const stop of this.#sessions.values()) stop();
    this.#sessions.clear();
  }

  get #ids(): readonly string[] {
    return [...this.#sessions.keys()].map(({ id }) => id);
  }

  #emit(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
