import type { ClusterNode } from "../../../../cluster/node.ts";
import type { SessionShares } from "../../../../cluster/session-shares.ts";
import type { Session } from "../../../../contract/call.ts";
import { type HolderSource, toHolder } from "../../../../contract/caller/holder.ts";
import { type Principal, toOwner } from "../../../../contract/caller/principal.ts";
import type { Service, SessionOrigin } from "../../../../contract/service.ts";
import { endSession } from "../../../../contract/session-end.ts";
import type { RpcError } from "../../../../errors.ts";
import { sessionSize } from "../../../../guard/session-size.ts";
import { andThen, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { startBackgroundTimer } from "../../../../lib/async/timers.ts";
import { FairBudget } from "../../../../lib/bounded/fair-budget.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { readableSessions } from "../../../../state/readable/sessions.ts";
import type { EventStore, State, VersionedSession } from "../../../../state/state.ts";
import type { SessionOptions } from "../http-options.ts";
import { HttpSession, type SessionPersistence } from "./http-session.ts";
import type { RecordOrigin } from "./session-record.ts";

/** The sessions of a table, and what they share. */
export interface SessionTableParts {
  readonly service: Service;
  readonly state: State;
  /** The node that serves them, where others share the state. */
  readonly node?: ClusterNode | undefined;
  readonly limits: Required<SessionOptions>;
}

interface Row {
  readonly session: HttpSession;
  /** Ends the notifications of events. */
  readonly stopChanges: () => void;
  /** The caller whose share of the store it counts in, where nodes share one; and what was counted, and when. */
  readonly holder: string;
  counted: number;
  countedAt: number;
  lastSeen: number;
  /** True if a request came after the one that opened it. */
  used: boolean;
}

const sweepsPerIdle = 4;

/** The sessions of one endpoint: idle ones expire, and all together have a budget. */
export class SessionTable {
  readonly #service: Service;
  readonly #state: State;
  readonly #node: ClusterNode | undefined;
  readonly #limits: Required<SessionOptions>;
  readonly #persistence: SessionPersistence;
  readonly #rows = new Map<string, Row>();
  readonly #budget: FairBudget<Row>;
  /** The shares of callers in the store that nodes share. */
  readonly #shares: SessionShares | undefined;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor({ service, state, node, limits }: SessionTableParts) {
    const sessions = readableSessions(state.sessions, (message, cause) => service.report(message, cause));
    this.#service = service;
    this.#state = { ...state, sessions };
    this.#node = node;
    this.#limits = limits;
    const { resumeMs, idleMs } = limits;
    this.#shares = node?.openShares(limits);
    this.#persistence = {
      state: this.#state,
      node,
      resumeMs,
      idleMs,
      telemetry: service.telemetry,
      takeRoom: (id) => this.#takeRoom(id),
      holderOf: (id) => this.#rows.get(id)?.holder,
      eventsOf: (id) => this.#eventsOf(id),
    };
    this.#budget = new FairBudget({
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
  async open(
    params: JsonObject,
    caller: HolderSource,
    origin?: SessionOrigin,
  ): Promise<HttpSession | undefined> {
    const opened = this.#service.openSession(params, origin, this.#limits.createId);
    // Earlier announcements do not concern the session.
    const read = await this.#node?.bus.follow();
    const session = this.#add(opened, caller, { owner: toOwner(caller.principal), read });
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

  /** The error for every new call of a caller that has no room for its events. */
  refusalOf(caller: HolderSource): RpcError | undefined {
    return this.#shares?.refusalOf(toHolder(caller));
  }

  /** Finds a session by its id, for the principal that opened it; for any other there is none. */
  find(id: string, caller: HolderSource): MaybePromise<HttpSession | undefined> {
    const known = this.#rows.get(id);
    // A stranger does not let it live on.
    if (known && known.session.owner !== toOwner(caller.principal)) return undefined;
    if (known && this.#node === undefined) return this.#forOwner(known, caller.principal);
    const version = known?.session.version;
    return andThen(this.#state.sessions.touch(id, this.#limits.idleMs), (found) =>
      andThen(this.#restore(id, caller, found, version), (row) => {
        // It may have ended while it was brought up to date, or had to make room for others.
        if (row && this.#rows.get(id) !== row) return this.find(id, caller);
        return row && this.#forOwner(row, caller.principal);
      }),
    );
  }

  /** The session with this id, if it is in use here. */
  get(id: string): HttpSession | undefined {
    return this.#rows.get(id)?.session;
  }

  /** Takes over what another node has stored of a session that is in use here. */
  async refresh(id: string): Promise<void> {
    const row = this.#rows.get(id);
    if (row && !(await row.session.renew())) this.#close(row);
  }

  /** Ends a session here that another node has ended, with the streams that this node has stored. */
  onEndedElsewhere(id: string): void {
    const row = this.#rows.get(id);
    if (row) this.#close(row);
  }

  /** Ends the calls that other nodes have answered, because they took this one for dead. */
  async confirmStreams(): Promise<void> {
    for (const { session } of [...this.#rows.values()]) await session.confirmStreams();
  }

  /** Ends the streams to which clients can come back, at other nodes. */
  leaveStreams(): void {
    for (const { session } of this.#rows.values()) session.leaveStreams(this.#limits.retryMs);
  }

  #forOwner(row: Row, principal: Principal | undefined): HttpSession | undefined {
    if (row.session.owner !== toOwner(principal)) return undefined;
    row.lastSeen = Date.now();
    row.used = true;
    this.#countAgain(row);
    this.#budget.touch(row);
    return row.session;
  }

  async remove(session: HttpSession): Promise<void> {
    const row = this.#rows.get(session.session.id);
    if (row) this.#drop(row);
    await session.close();
    await this.#node?.bus.send({ type: "session-ended", session: session.session.id });
  }

  /** Detaches all sessions. They stay in the state, which other nodes may share. */
  close(): void {
    this.#stopSweeping();
    for (const row of [...this.#rows.values()]) {
      row.session.detach();
      this.#drop(row);
    }
  }

  /**
   * Brings a session up to date with its stored form, which was read when this node had `version`. It may be one that
   * another process opened, or this one before it was restarted.
   */
  #restore(
    id: string,
    caller: HolderSource,
    found: VersionedSession | undefined,
    version: string | undefined,
  ): MaybePromise<Row | undefined> {
    const stored = found?.session;
    const known = this.#rows.get(id);
    if (stored === undefined && known && this.#node) return this.#close(known);
    // A stranger's request takes no room in the name of the owner.
    if (found === undefined || stored?.owner !== toOwner(caller.principal)) return known;
    // Another request may have restored it meanwhile.
    if (known) return andThen(known.session.refresh(found, version), () => known);
    return this.#open(id, caller, found);
  }

  /** Opens a session again that is stored and not in use here. */
  async #open(id: string, caller: HolderSource, found: VersionedSession): Promise<Row | undefined> {
    const stored = found.session;
    const revision = this.#service.supported.find(stored.revision);
    if (revision === undefined) return undefined;
    const { restoreSession } = await this.#service.forNodes();
    const known = this.#rows.get(id);
    if (known) return known;
    const session = restoreSession(stored, revision);
    const added = this.#add(session, caller, { owner: stored.owner, stored: found });
    if (added === undefined) return void endSession(session);
    // It may have ended since it was read, while nothing here could be told. From now on its end comes by the bus.
    await this.#node?.bus.follow();
    const row = this.#rows.get(id);
    return row && !(await added.renew()) ? this.#close(row) : row;
  }

  #add(session: Session, caller: HolderSource, origin: RecordOrigin): HttpSession | undefined {
    const holder = toHolder(caller);
    const added = new HttpSession(session, this.#persistence, origin);
    // Each is a listener of its own: the server notifies so many of them in one turn.
    const stopChanges = this.#node ? () => {} : this.#service.onChange((event) => added.notify(event));
    const now = Date.now();
    const size = sessionSize(session);
    // A session that is stored was counted when it was; its node may be another one.
    const counted = origin.stored ? size : 0;
    const row: Row = {
      session: added,
      stopChanges,
      holder,
      counted,
      countedAt: now,
      lastSeen: now,
      used: false,
    };
    if (!this.#budget.add(row, holder, size)) {
      stopChanges();
      return undefined;
    }
    this.#rows.set(session.id, row);
    this.#sweeper ??= startBackgroundTimer(() => this.#sweep(), this.#limits.idleMs / sweepsPerIdle);
    return added;
  }

  /** Takes room for what was added to a session; rejects where its caller has none left in the store. */
  #takeRoom(id: string): MaybePromise<void> {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    const size = sessionSize(row.session.session);
    if (!this.#budget.resize(row, size)) return this.#discard(row);
    const added = size - row.counted;
    if (this.#shares === undefined || added <= 0) return;
    return this.#shares.takeSession(row.holder, added).then(() => {
      row.counted = size;
    });
  }

  /** The events of a session, which count in the share of its caller. */
  #eventsOf(id: string): EventStore {
    const { events } = this.#state;
    const holder = this.#rows.get(id)?.holder;
    return holder === undefined ? events : (this.#shares?.countEvents(events, holder) ?? events);
  }

  /** Counts a session that is in use for longer than counters last. */
  #countAgain(row: Row): void {
    if (this.#shares === undefined || row.lastSeen - row.countedAt < this.#limits.idleMs) return;
    row.countedAt = row.lastSeen;
    void this.#shares.renewSession(row.session.session.id, row.holder, row.counted);
  }

  #drop(row: Row): void {
    row.stopChanges();
    this.#budget.remove(row);
    this.#rows.delete(row.session.session.id);
    if (this.#rows.size === 0) this.#stopSweeping();
  }

  /** Removes a session that nobody waits for. Where other nodes share it, only the copy of this node goes. */
  #discard(row: Row): void {
    if (this.#node === undefined) return this.#close(row);
    this.#drop(row);
    row.session.detach();
  }

  /** Ends a session, and removes all of it that is stored; other nodes may have removed the rest. */
  #close(row: Row): undefined {
    this.#drop(row);
    row.session
      .close()
      .catch((error: unknown) => this.#service.report("A session could not be removed", error));
  }

  #sweep(): void {
    const now = Date.now();
    const rows = [...this.#rows.values()];
    for (const row of rows) if (row.session.busy) row.lastSeen = now;
    for (const row of rows) {
      if (row.lastSeen < now - this.#limits.idleMs) this.#discard(row);
      // Where other nodes share it, only one that uses it knows that it is in use.
      else if (this.#node === undefined || row.session.busy) void this.#renew(row);
    }
  }

  async #renew(row: Row): Promise<void> {
    try {
      if (!(await row.session.renew()) && this.#node) this.#close(row);
    } catch (error) {
      this.#service.report("A session could not be renewed", error);
    }
  }

  #stopSweeping(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
