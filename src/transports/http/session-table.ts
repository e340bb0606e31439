import type { Principal } from "../../peer/call.ts";
import type { Service } from "../../peer/service.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { State, StoredSession } from "../../state/state.ts";
import { startBackgroundTimer } from "./background-timer.ts";
import type { SessionOptions } from "./http-options.ts";
import { HttpSession, toOwner } from "./http-session.ts";

interface Row {
  readonly session: HttpSession;
  lastSeen: number;
}

const sweepsPerIdle = 4;

/** The sessions of one endpoint. Those not heard of for long are forgotten, and there are only so many. */
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
      for (const { session } of this.#rows.values()) session.tell(change);
    });
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Undefined when there is no room: every session is in use. */
  async open(params: JsonObject, principal: Principal | undefined): Promise<HttpSession | undefined> {
    const opened = this.#service.openSession(params);
    if (this.#rows.size >= this.#limits.max && !(await this.#evictOne())) return undefined;
    const session = new HttpSession(opened, toOwner(principal), this.#state);
    this.#add(session);
    await session.save();
    return session;
  }

  /** A session by its id, for the one who opened it; for anybody else there is none. */
  async find(id: string, principal: Principal | undefined): Promise<HttpSession | undefined> {
    const session = this.#rows.get(id)?.session ?? (await this.#revive(id));
    if (session === undefined || session.owner !== toOwner(principal)) return undefined;
    this.#touch(id);
    return session;
  }

  async remove(session: HttpSession): Promise<void> {
    this.#rows.delete(session.session.id);
    if (this.#rows.size === 0) this.#stopSweeping();
    await session.close();
  }

  async close(): Promise<void> {
    this.#stopChanges();
    await Promise.all([...this.#rows.values()].map(({ session }) => this.remove(session)));
  }

  /** A session that another process opened, or this one before it was restarted. */
  async #revive(id: string): Promise<HttpSession | undefined> {
    const stored: StoredSession | undefined = await this.#state.sessions.find(id);
    const revision = this.#service.supported.find(stored?.revision);
    if (stored === undefined || revision === undefined) return undefined;
    const { client, logLevel, subscriptions, owner, ready } = stored;
    const session = { id, revision, client, logLevel, subscriptions: new Set(subscriptions) };
    const revived = new HttpSession(session, owner, this.#state, ready);
    this.#add(revived);
    return revived;
  }

  #add(session: HttpSession): void {
    this.#rows.set(session.session.id, { session, lastSeen: Date.now() });
    this.#sweeper ??= startBackgroundTimer(() => void this.#sweep(), this.#limits.idleMs / sweepsPerIdle);
  }

  #touch(id: string): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    row.lastSeen = Date.now();
    this.#rows.delete(id);
    this.#rows.set(id, row);
  }

  async #sweep(): Promise<void> {
    const limit = Date.now() - this.#limits.idleMs;
    const idle = [...this.#rows.values()].filter(
      ({ session, lastSeen }) => lastSeen < limit && !session.busy,
    );
    await Promise.all(idle.map(({ session }) => this.remove(session)));
  }

  async #evictOne(): Promise<boolean> {
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
