import type { Session, SessionChange } from "../../../../contract/call.ts";
import type { NodeService } from "../../../../contract/service.ts";
import { OverloadedError } from "../../../../errors.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { Mutex } from "../../../../lib/async/mutex.ts";
import type { Initialized } from "../../../../peer/initialized.ts";
import {
  type SessionStore,
  type StoredSession,
  streamStart,
  type VersionedSession,
} from "../../../../state/state.ts";
import { mergeSession } from "./merge-session.ts";

/** The place where the records of all sessions are. */
interface RecordPlace {
  readonly state: { readonly sessions: SessionStore };
  /** The node that serves them, where others change them, too. */
  readonly node?: { readonly service: NodeService } | undefined;
  /** The time that a session is stored without a request. */
  readonly idleMs: number;
  /** Takes room for a session, before it is stored; rejects where there is none. */
  takeRoom(session: string): MaybePromise<void>;
}

/** The beginning of a record here. */
export interface RecordOrigin {
  readonly owner: string;
  /** The form that was read, of a session that is stored already. */
  readonly stored?: VersionedSession | undefined;
  /** The offset after which the events of the server are for a new session. */
  readonly read?: string | undefined;
}

interface RecordChange {
  /** The offset in the events of the server up to which the standalone stream was read. */
  readonly read?: string;
  readonly change?: SessionChange | undefined;
}

/** The time in which a client comes back after `initialize`, where nodes share its session. */
const unusedMs = 60_000;
/** The attempts to save a change while other nodes save theirs. */
const maxAttempts = 50;

/** The stored form of a session. Changes that other nodes have stored are merged with those of this one. */
export class SessionRecord {
  readonly #session: Session;
  readonly #initialized: Initialized;
  readonly #place: RecordPlace;
  readonly #owner: string;
  /** The form that was read or written last. */
  #base: VersionedSession | undefined;
  #read: string;
  readonly #saving = new Mutex();

  constructor(session: Session, initialized: Initialized, place: RecordPlace, origin: RecordOrigin) {
    this.#session = session;
    this.#initialized = initialized;
    this.#place = place;
    const { owner, stored, read = streamStart } = origin;
    this.#owner = owner;
    this.#base = stored;
    this.#read = stored?.session.read ?? read;
  }

  get isStored(): boolean {
    return this.#base !== undefined;
  }

  /** The version that was read or written last. */
  get version(): string | undefined {
    return this.#base?.version;
  }

  /** The offset in the events of the server up to which the standalone stream was read. */
  get read(): string {
    return this.#read;
  }

  /**
   * Stores the session, or what has changed of it. A session that was removed meanwhile stays so.
   *
   * A change that was reported as failed must not be stored later, so it is undone before the next one. The
   * store may have it nevertheless, and others may build on that, so what is known to be stored stays. A change that
   * was reported as stored holds, whatever other nodes have stored meanwhile.
   */
  save({ read = this.#read, change }: RecordChange = {}): Promise<void> {
    this.#read = read;
    return this.#saving.run(async () => {
      try {
        await this.#place.takeRoom(this.#session.id);
        await (this.#base ? this.#replace(change) : this.#create());
      } catch (error) {
        if (this.#base) change?.undo(this.#base.session);
        throw error;
      }
    });
  }

  /**
   * Reads the session anew, which lets it live on, and takes over what other nodes have stored; false when it is gone.
   *
   * Answers of the store may overtake each other. One that was asked for before the last change here may be older than
   * that change, and would undo it, so it is asked for again.
   */
  async reload(): Promise<boolean> {
    const { state, idleMs } = this.#place;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { version } = this;
      const found = await state.sessions.touch(this.#session.id, idleMs);
      if (found === undefined) return false;
      if (this.refresh(found, version)) return true;
    }
    return true;
  }

  /** Takes over what another node has stored, as it was read when this node had `version`; false if it may be outdated. */
  refresh(found: VersionedSession, version: string | undefined): boolean {
    const base = this.#base;
    if (base === undefined || base.version === found.version) return true;
    if (base.version !== version) return false;
    const merged = mergeSession(base.session, this.#toStored(), found.session);
    this.#base = found;
    this.#read = merged.read;
    this.#place.node?.service.updateSession(this.#session, merged);
    if (merged.ready && !this.#initialized.isDone) this.#initialized.mark();
    return true;
  }

  async #create(): Promise<void> {
    const session = this.#toStored();
    const { state, idleMs, node } = this.#place;
    // A node does not know which sessions of others are in use, so that a flood of unused ones must go by itself.
    const version = await state.sessions.create(session, node ? Math.min(idleMs, unusedMs) : idleMs);
    if (version === undefined) throw new Error("There is a session with this id already.");
    this.#base = { session, version };
  }

  async #replace(change: SessionChange | undefined): Promise<void> {
    const { state, idleMs } = this.#place;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      change?.apply();
      const session = this.#toStored();
      const { version: replaced } = this;
      const version = await state.sessions.replace(session, replaced ?? "", idleMs);
      if (version !== undefined) {
        // A form that was read before this answer came is this one, or a newer one.
        if (this.version === replaced) this.#base = { session, version };
        return;
      }
      if (!(await this.reload())) return;
    }
    throw new OverloadedError("Too many nodes change one session at once.");
  }

  #toStored(): StoredSession {
    const { id, revision, client, logLevel, lists, subscriptions } = this.#session;
    return {
      id,
      owner: this.#owner,
      revision: revision.version,
      client,
      ready: this.#initialized.isDone,
      logLevel,
      lists: [...lists],
      subscriptions: [...(subscriptions ?? [])],
      read: this.#read,
    };
  }
}
