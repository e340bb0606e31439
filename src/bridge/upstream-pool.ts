import type { Asker } from "../client/forward/asker.ts";
import type { UpstreamLease, Upstreams } from "../client/forward/call-forwarder.ts";
import type { AskHandlers } from "../client/incoming/ask.ts";
import type { Call } from "../contract/call.ts";
import { toHolder } from "../contract/caller/holder.ts";
import type { Isolation } from "../contract/caller/isolation.ts";
import { toOwner } from "../contract/caller/principal.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import { runLater } from "../lib/async/timers.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import { FairBudget } from "../lib/bounded/fair-budget.ts";
import { FairRoom } from "../lib/bounded/fair-room.ts";
import { canonicalJson } from "../lib/encoding/canonical-json.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import { type AskCapabilities, toAskCapabilities } from "./answered-questions.ts";
import { ListChanges } from "./list-changes.ts";
import type { OwnSubscriptionsOptions } from "./own-subscriptions.ts";
import { Place, type UpstreamConnection } from "./place.ts";
import { type ConnectUpstream, openUpstream } from "./upstream.ts";
import type { AskedClient } from "./waiting-questions.ts";

export interface UpstreamPoolOptions extends Pick<OwnSubscriptionsOptions, "watches" | "report"> {
  readonly connect: ConnectUpstream;
  /** Default `per-session`. */
  readonly isolation?: Isolation | undefined;
  /** Default 100. */
  readonly maxConnections?: number | undefined;
  /** Default 300,000. */
  readonly idleMs?: number | undefined;
}

async function* openAll(places: readonly Place[]): AsyncGenerator<UpstreamConnection> {
  for (const place of places) {
    const connection = await place.opening.catch(() => undefined);
    if (connection) yield connection;
  }
}

/** Subscriptions of all sessions over their own connections; callers decide how many there are. */
const maxSubscriptions = 10_000;
/** The time that a call waits until its session is subscribed over a new connection. */
const subscribeMs = 2_000;
/** The time after which a caller without a connection tries again. */
const retryMs = 5_000;

/**
 * The connections to the server behind a bridge: one for each caller that must not meet others there.
 *
 * When there are too many, the principal or address with the most loses the one that it used longest ago.
 */
export class UpstreamPool implements Upstreams {
  readonly servesOneClient = true;
  readonly #options: UpstreamPoolOptions;
  readonly #places = new Map<string, Set<Place>>();
  readonly #budget: FairBudget<Place>;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #room = new FairRoom(maxSubscriptions);
  readonly #lists = new ListChanges((event) => this.#emit(event));
  /** True if the server asks by requests; unknown until there was a connection. */
  #asksByRequests = true;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
    this.#budget = new FairBudget({
      count: options.maxConnections ?? 100,
      bytes: Number.MAX_SAFE_INTEGER,
      readinessOf: ({ users }) => (users > 0 ? "busy" : "idle"),
      evict: (place) => void this.#drop(place),
    });
  }

  /** The number of calls that use a connection. */
  get running(): number {
    return this.#all.reduce((sum, { users }) => sum + users, 0);
  }

  /** The connection of a caller, until it is released. */
  async lease(call: Call): Promise<UpstreamLease> {
    const key = toKey(call, this.#options.isolation);
    const client = this.#clientOf(call);
    const place = this.#find(key, client) ?? this.#open(call, key);
    place.use(client);
    this.#budget.touch(place);
    clearTimeout(place.idleTimer);
    let detach = () => {};
    const release = () => {
      detach();
      // A caller without a session has no next request that could bring its answers.
      if (typeof client !== "string") place.questions.refuse(client);
      if (--place.users === 0) this.#rest(place);
    };
    try {
      const { upstream, subscriptions } = await place.opening;
      call.signal.throwIfAborted();
      if (await upstream.serve(call)) await waitAtMost(subscribeMs, subscriptions.follow(call), () => {});
      const putQuestions = (asker: Asker) => {
        detach = place.questions.attach(asker, client);
        return place.questions.put(asker, () => upstream.answersSent());
      };
      return { upstream, putQuestions, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The open connections of a sender, which has begun no call. */
  openFor(sender: Sender): AsyncGenerator<UpstreamConnection> {
    return openAll(this.#placesFor(sender));
  }

  /** Those that only the session of the sender has ever used. */
  onlyFor(sender: Sender): AsyncGenerator<UpstreamConnection> {
    const { session } = sender;
    const isOwn = ({ onlySession }: Place) => session !== undefined && onlySession === session.id;
    return openAll(this.#placesFor(sender).filter(isOwn));
  }

  /** Subscribes over the connection of the call's session to what the session is subscribed to. Never rejects. */
  async setSubscriptions(call: Call): Promise<void> {
    for await (const { subscriptions } of this.openFor(call)) await subscriptions.follow(call);
  }

  /** An event of the connection for all, without the sessions that their own connections notify of it. */
  exceptOwn(event: ServerEvent): ServerEvent {
    switch (event.kind) {
      case "log":
      case "elicitation":
        return event;
      case "resource": {
        const except = this.#all.flatMap(({ subscriptions }) => subscriptions?.subscriber(event.uri) ?? []);
        return except.length > 0 ? { ...event, except } : event;
      }
      default:
        return this.#lists.exceptOwn(
          event.kind,
          this.#all.flatMap(({ listReaders }) => listReaders ?? []),
        );
    }
  }

  /** Reports what the server sends to sessions outside their calls, until the returned function is called. */
  onEvent(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#lists.close();
    await Promise.all(this.#all.map((place) => this.#drop(place)));
  }

  #placesFor(sender: Sender): readonly Place[] {
    return [...(this.#places.get(toKey(sender, this.#options.isolation)) ?? [])];
  }

  get #all(): readonly Place[] {
    return [...this.#places.values()].flatMap((places) => [...places]);
  }

  /**
   * The one that a question during this call is for. A server that asks by requests need not name the call it asks
   * about, so calls for different ones are never on one connection at a time.
   */
  #clientOf(call: Call): AskedClient {
    const { elicitation, sampling, roots } = call.client.capabilities;
    if (!this.#asksByRequests || !(elicitation || sampling || roots)) return "";
    return call.session?.id ?? call;
  }

  #find(key: string, client: AskedClient): Place | undefined {
    for (const place of this.#places.get(key) ?? [])
      if (place.users === 0 || place.client === client) return place;
    return undefined;
  }

  /** Leaves a connection without calls open as long as sessions live that have used it: its server may log to them. */
  #rest(place: Place): void {
    if (place.users > 0 || (place.sessions?.size ?? 0) > 0) return;
    clearTimeout(place.idleTimer);
    place.idleTimer = runLater(() => void this.#drop(place), this.#options.idleMs ?? 300_000);
  }

  #open(call: Call, key: string): Place {
    const { capabilities } = askCapabilitiesOf(call);
    const { connect, watches, report } = this.#options;
    const open = (handlers: AskHandlers) => openUpstream(connect, capabilities, handlers);
    const place = new Place(key, open, { room: this.#room, watches, report });
    if (!this.#budget.add(place, toHolder(call), 1))
      throw limitReached(LimitCode.overloaded, "All connections of the bridge are in use", retryMs);
    const places = this.#places.get(key) ?? new Set();
    this.#places.set(key, places.add(place));
    place.opening.then(
      ({ client, upstream, sessions, subscriptions }) => {
        this.#asksByRequests = upstream.revision.asking === "live";
        sessions.onEvent((event) => this.#emit(event));
        client.onChange((change) => {
          if (change.kind !== "resource") return this.#lists.report(change.kind, sessions);
          const receiver = subscriptions.subscriber(change.uri);
          if (receiver !== undefined) this.#emit({ ...change, sessions: [receiver] });
        });
        sessions.onLastEnd(() => this.#rest(place));
        void client.closed.then(() => this.#forget(place));
      },
      () => this.#forget(place),
    );
    return place;
  }

  #emit(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async #drop(place: Place): Promise<void> {
    this.#forget(place);
    clearTimeout(place.idleTimer);
    const connection = await place.opening.catch(() => undefined);
    await connection?.client.close();
  }

  #forget(place: Place): void {
    this.#budget.remove(place);
    place.subscriptions?.close();
    const places = this.#places.get(place.key);
    places?.delete(place);
    if (places?.size === 0) this.#places.delete(place.key);
  }
}

/** The part of a call by which connections are kept apart. */
type Sender = Pick<Call, "principal" | "client" | "revision"> & {
  readonly session: { readonly id: string } | undefined;
};

/** The key that callers have in common who may share a connection. */
function toKey(call: Sender, isolation: Isolation | undefined): string {
  const { session, principal } = call;
  const { key: answers } = askCapabilitiesOf(call);
  switch (isolation) {
    case "shared":
      return answers;
    case "per-principal":
      return `${toOwner(principal)} ${answers}`;
    default:
      return `${session?.id ?? ""} ${toOwner(principal)} ${answers}`;
  }
}

interface KeyedCapabilities {
  readonly capabilities: AskCapabilities;
  readonly key: string;
}

const known = new WeakMap<object, KeyedCapabilities>();

/** The capabilities of a caller, made once for a session. */
function askCapabilitiesOf({ client, revision }: Sender): KeyedCapabilities {
  const found = known.get(client.capabilities);
  if (found) return found;
  const capabilities = toAskCapabilities(client.capabilities, revision);
  const made = { capabilities, key: canonicalJson(capabilities) };
  known.set(client.capabilities, made);
  return made;
}
