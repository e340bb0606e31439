import type { Session } from "../../../../contract/call.ts";
import { type HolderSource, toHolder } from "../../../../contract/holder.ts";
import { type Principal, toOwner } from "../../../../contract/principal.ts";
import type { Service } from "../../../../contract/service.ts";
import { sessionSize } from "../../../../guard/session-size.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { startBackgroundTimer } from "../../../../lib/async/timers.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { SharedBudget } from "../../../../lib/shared-budget.ts";
import type { State, StoredSession } from "../../../../state/state.ts";
import type { SessionOptions } from "../http-options.ts";
import { HttpSession } from "./http-session.ts";

interface Row {
  readonly session: HttpSession;
  /** Ends the notifications of events. */
  readonly stopChanges: () => void;
  lastSeen: number;
  /** Whether a request came after the one that opened it. */
  used: boolean;
}

const sweepsPerIdle = 4;

/** The sessions of one endpoint: idle ones expire, and all together have a budget. */
export class SessionTable {
  readonly #service: Service;
  readonly #state: State;
  readonly #limits: Required<SessionOptions>;
  readonly #rows = new Map<string, Row>();
  readonly #budget: SharedBudget<Row>;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(service: Service, state: State, limits: Required<SessionOptions>) {
    this.#service = service;
    this.#state = state;
    this.#limits = limits;
    this.#budget = new SharedBudget({
      count: limits.max,
      bytes: limits.maxBytes,
      // A session that only `initialize` was sent for goes before one in use: a flood of them ends no other.
      readinessOf: ({ session, used }) => (session.busy ? "busy" : used ? "idle" : "unused"),
      evict: (row) => this.#discard(row),
    });
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Opens a session; undefined when there is no room, because all that could go are in use. */
  async open(params: JsonObject, caller: HolderSource): Promise<HttpSession | undefined> {
    const opened = { ...this.#service.openSession(params), id: this.#limits.createId() };
    const session = this.#add(opened, caller, { owner: toOwner(caller.principal) });
    try {
      await session?.save();
    } catch (error) {
      // Nobody gets to know its id.
      const row = this.#rows.get(opened.id);
      if (row) this.#drop(row);
      throw error;
    }
    return session;
  }

  /** Finds a session by its id, for the principal that opened it; for any other there is none. */
  find(id: string, caller: HolderSource): MaybePromise<HttpSession | undefined> {
    const known = this.#rows.get(id);
    if (known) return this.#forOwner(known, caller.principal);
    return this.#restore(id, caller).then((row) => row && this.#forOwner(row, caller.principal));
  }

  #forOwner(row: Row, principal: Principal | undefined): HttpSession | undefined {
    if (row.session.owner !== toOwner(principal)) return undefined;
    row.lastSeen = Date.now();
    row.used = true;
    this.#budget.touch(row);
    return row.session;
  }

  async remove(session: HttpSession): Promise<void> {
    const row = this.#rows.get(session.session.id);
    if (row) this.#drop(row);
    await session.close();
  }

  /** Detaches all sessions. They stay in the state, which other nodes may share. */
  close(): void {
    this.#stopSweeping();
    for (const row of [...this.#rows.values()]) {
      row.session.detach();
      this.#drop(row);
    }
  }

  /** Restores a session that another process opened, or this one before it was restarted. */
  async #restore(id: string, caller: HolderSource): Promise<Row | undefined> {
    const stored: StoredSession | undefined = await this.#state.sessions.find(id);
    const revision = this.#service.supported.find(stored?.revision);
    // Another request may have restored it meanwhile. A stranger's request takes no room in the name of the owner.
    const known = this.#rows.get(id);
    if (known || stored?.owner !== toOwner(caller.principal) || revision === undefined) return known;
    const session = this.#service.restoreSession(stored, revision);
    const { owner, ready } = stored;
    if (this.#add(session, caller, { owner, ready }) === undefined) session.onEnd?.();
    return this.#rows.get(id);
  }

  #add(
    session: Session,
    caller: HolderSource,
    of: { readonly owner: string; readonly ready?: boolean },
  ): HttpSession | undefined {
    const { resumeMs, idleMs } = this.#limits;
    const onResized = (bytes: number) => {
      if (!this.#budget.resize(row, bytes)) this.#discard(row);
    };
    const added = new HttpSession(session, { ...of, state: this.#state, resumeMs, onResized });
    // Each is a listener of its own: the server notifies so many of them in one turn.
    const stopChanges = this.#service.onChange((event) => added.notify(event));
    const row: Row = { session: added, stopChanges, lastSeen: Date.now(), used: false };
    if (!this.#budget.add(row, toHolder(caller), sessionSize(session))) {
      stopChanges();
      return undefined;
    }
    this.#rows.set(session.id, row);
    this.#sweeper ??= startBackgroundTimer(() => this.#sweep(), idleMs / sweepsPerIdle);
    return added;
  }

  #drop(row: Row): void {
    row.stopChanges();
    this.#budget.remove(row);
    this.#rows.delete(row.session.session.id);
    if (this.#rows.size === 0) this.#stopSweeping();
  }

  /** Removes a session that nobody waits for. */
  #discard(row: Row): void {
    this.#drop(row);
    row.session
      .close()
      .catch((error: unknown) => this.#service.report("A session could not be removed", error));
  }

  #sweep(): void {
    const now = Date.now();
    const rows = [...this.#rows.values()];
    for (const row of rows) if (row.session.busy) row.lastSeen = now;
    const idle = rows.filter(({ lastSeen }) => lastSeen < now - this.#limits.idleMs);
    for (const row of idle) this.#discard(row);
  }

  #stopSweeping(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
