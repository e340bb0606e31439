import type { Session } from "../../../../contract/call.ts";
import { type Principal, toOwner } from "../../../../contract/principal.ts";
import type { Service } from "../../../../contract/service.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { startBackgroundTimer } from "../../../../lib/async/timers.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import type { State, StoredSession } from "../../../../state/state.ts";
import type { SessionOptions } from "../http-options.ts";
import { HttpSession } from "./http-session.ts";
import { createSessionId } from "./session-id.ts";

interface Row {
  readonly session: HttpSession;
  lastSeen: number;
}

const sweepsPerIdle = 4;

/** The sessions of one endpoint: idle ones expire, and their number is limited. */
export class SessionTable {
  readonly #service: Service;
  readonly #state: State;
  readonly #limits: Required<SessionOptions>;
  /** Least recently seen first. */
  readonly #rows = new Map<string, Row>();
  readonly #stopChanges: () => void;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(service: Service, state: State, limits: Required<SessionOptions>) {
    this.#service = service;
    this.#state = state;
    this.#limits = limits;
    this.#stopChanges = service.onChange((change) => {
      for (const { session } of this.#rows.values()) session.notify(change);
    });
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Opens a session; undefined when there is no room because every session is in use. */
  async open(params: JsonObject, principal: Principal | undefined): Promise<HttpSession | undefined> {
    const opened = { ...this.#service.openSession(params), id: createSessionId() };
    if (!(await this.#hasRoom())) return undefined;
    const session = this.#add(opened, { owner: toOwner(principal) });
    await session.save();
    return session;
  }

  /** Finds a session by its id, for the principal that opened it; for any other there is none. */
  find(id: string, principal: Principal | undefined): MaybePromise<HttpSession | undefined> {
    const known = this.#rows.get(id);
    if (known) return this.#forOwner(known.session, principal);
    return this.#restore(id).then((session) => session && this.#forOwner(session, principal));
  }

  #forOwner(session: HttpSession, principal: Principal | undefined): HttpSession | undefined {
    if (session.owner !== toOwner(principal)) return undefined;
    this.#touch(session.session.id);
    return session;
  }

  async remove(session: HttpSession): Promise<void> {
    this.#rows.delete(session.session.id);
    if (this.#rows.size === 0) this.#stopSweeping();
    await session.close();
  }

  /** Detaches all sessions. They stay in the state, which other nodes may share. */
  close(): void {
    this.#stopChanges();
    this.#stopSweeping();
    for (const { session } of this.#rows.values()) session.detach();
    this.#rows.clear();
  }

  /** Restores a session that another process opened, or this one before it was restarted. */
  async #restore(id: string): Promise<HttpSession | undefined> {
    const stored: StoredSession | undefined = await this.#state.sessions.find(id);
    const revision = this.#service.supported.find(stored?.revision);
    if (stored === undefined || revision === undefined || !(await this.#hasRoom())) return undefined;
    // Another request may have restored it meanwhile.
    const known = this.#rows.get(id);
    if (known) return known.session;
    const { client, logLevel, lists, subscriptions, owner, ready } = stored;
    const session = {
      id,
      revision,
      client,
      logLevel,
      lists: new Set(lists),
      subscriptions: new Set(subscriptions),
      pendingElicitations: new Set<string>(),
    };
    return this.#add(session, { owner, ready });
  }

  #add(session: Session, of: { readonly owner: string; readonly ready?: boolean }): HttpSession {
    const { resumeMs, idleMs } = this.#limits;
    const added = new HttpSession(session, { ...of, state: this.#state, resumeMs });
    this.#rows.set(session.id, { session: added, lastSeen: Date.now() });
    this.#sweeper ??= startBackgroundTimer(() => void this.#sweep(), idleMs / sweepsPerIdle);
    return added;
  }

  #touch(id: string): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    row.lastSeen = Date.now();
    this.#rows.delete(id);
    this.#rows.set(id, row);
  }

  async #sweep(): Promise<void> {
    const now = Date.now();
    const rows = [...this.#rows.values()];
    for (const row of rows) if (row.session.busy) row.lastSeen = now;
    const idle = rows.filter(({ lastSeen }) => lastSeen < now - this.#limits.idleMs);
    await Promise.all(idle.map(({ session }) => this.remove(session)));
  }

  /** Makes room, if there is none, by removing the session that has been idle longest; false when all are in use. */
  async #hasRoom(): Promise<boolean> {
    if (this.#rows.size < this.#limits.max) return true;
    for (const { session } of this.#rows.values()) {
      if (session.busy) continue;
      await this.remove(session);
      return true;
    }
    return false;
  }

  #stopSweeping(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
