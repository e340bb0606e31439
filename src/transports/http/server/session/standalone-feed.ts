import type { Bus } from "../../../../cluster/bus.ts";
import type { RecentMessage } from "../../../../cluster/recent-messages.ts";
import type { Session } from "../../../../contract/call.ts";
import {
  isSubscribed,
  type ServerEvent,
  toAllChanges,
  toEventKey,
  toNotification,
} from "../../../../contract/server-event.ts";
import { observeSending, type Telemetry } from "../../../../contract/telemetry.ts";
import { runLater } from "../../../../lib/async/timers.ts";
import { encodeNotification } from "../../../../protocol/message.ts";
import { pageSize } from "../../../../state/read-stream.ts";
import { streamStart } from "../../../../state/state.ts";
import type { EventConnection } from "../events/event-connection.ts";
import { toEventId } from "../events/event-id.ts";
import { encodeEvent, encodePrimingEvent, encodeRetry } from "../events/sse-encode.ts";
import { standaloneId } from "./session-streams.ts";

const retryMs = 1_000;

/** The session that a feed is for. */
interface FedSession {
  readonly session: Session;
  /** True if the client may be notified. */
  readonly isReady: boolean;
  readonly telemetry: Telemetry | undefined;
  /** Takes over what other nodes have stored of it. */
  renew(): Promise<boolean>;
}

interface Sendable {
  readonly offset: string;
  readonly event: ServerEvent;
}

/**
 * The standalone stream of a session whose events may come from any node: the events of the server that the session
 * has subscribed to. Nothing of it is stored, and its event ids are offsets of the bus.
 */
export class StandaloneFeed {
  readonly #bus: Bus;
  readonly #reader: string;
  readonly #session: FedSession;
  readonly #connection: EventConnection;
  readonly #stop: () => void;
  #offset: string;
  /** The place among the recent messages of the bus; undefined while older ones are sent. */
  #place: number | undefined;
  #sending: Promise<void> | undefined;
  #isDue = false;
  #isAnnounced = false;
  /** The session is as it was stored when the feed began, or newer; the node reports later changes to it. */
  #isFresh = false;
  /** The offset after which messages were dropped, once the client was notified. */
  #missedAt: string | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { bus, reader }: { readonly bus: Bus; readonly reader: string },
    session: FedSession,
    connection: EventConnection,
    offset: string,
  ) {
    this.#bus = bus;
    this.#reader = reader;
    this.#session = session;
    this.#connection = connection;
    this.#offset = offset;
    this.#stop = bus.onAdvanced(() => this.#advance());
  }

  /** The offset of the bus up to which the client was notified of everything. */
  get offset(): string {
    return this.#offset;
  }

  /** Sends what the client has missed, and from then on what comes. With `clientRetryMs` it begins with an event to resume from. */
  start(clientRetryMs: number | undefined): void {
    if (clientRetryMs !== undefined)
      void this.#connection.write(encodePrimingEvent(this.#toId(this.#offset), clientRetryMs));
    this.#advance();
  }

  /** True if a reader that is announced comes after this one. Those before its own announcement are older. */
  isReplacedBy(reader: string): boolean {
    if (reader !== this.#reader) return this.#isAnnounced;
    this.#isAnnounced = true;
    return false;
  }

  end(clientRetryMs?: number): void {
    this.#stop();
    clearTimeout(this.#retry);
    if (clientRetryMs !== undefined) void this.#connection.write(encodeRetry(clientRetryMs));
    this.#connection.end();
  }

  #advance(): void {
    this.#isDue = true;
    if (this.#sending || this.#connection.closed) return;
    // Most messages are for other sessions, and cost no promise.
    if (this.#place !== undefined && this.#skips(this.#bus.recent.from(this.#place))) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#isDue) this.#advance();
    });
  }

  /** Passes over messages none of which is for this session; returns whether it did. */
  #skips(messages: readonly RecentMessage[] | undefined): boolean {
    if (messages === undefined || messages.some(({ message }) => this.#toEvent(message) !== undefined))
      return false;
    this.#isDue = false;
    this.#moveOver(messages);
    return true;
  }

  async #sendAll(): Promise<void> {
    while (this.#isDue && !this.#connection.closed) {
      this.#isDue = false;
      try {
        if (!this.#isFresh) await this.#session.renew();
        this.#isFresh = true;
        const recent = this.#place === undefined ? undefined : this.#bus.recent.from(this.#place);
        if (recent === undefined) await this.#sendMissed();
        else await this.#sendRecent(recent);
      } catch {
        // The store is away.
        this.#retry = runLater(() => this.#advance(), retryMs);
        return;
      }
    }
  }

  async #sendRecent(messages: readonly RecentMessage[]): Promise<void> {
    await this.#send(messages.map(({ offset, message }) => ({ offset, event: this.#toEvent(message) })));
    this.#moveOver(messages);
  }

  #moveOver(messages: readonly RecentMessage[]): void {
    this.#offset = messages.at(-1)?.offset ?? this.#offset;
    this.#place = (this.#place ?? 0) + messages.length;
  }

  /** Sends messages from the store until it comes to those that the node has at hand. */
  async #sendMissed(): Promise<void> {
    const reader = this.#bus.openReader();
    while (!this.#connection.closed) {
      this.#place = this.#bus.recent.placeAfter(this.#offset);
      if (this.#place !== undefined) {
        this.#isDue = true;
        return;
      }
      const page = await this.#bus.readAfter(this.#offset, pageSize);
      // Asked after the page was read: more may be dropped meanwhile.
      if (!(await this.#bus.holds(this.#offset))) await this.#sendAllChanges();
      if (page === undefined) {
        this.#offset = streamStart;
        continue;
      }
      const last = page.at(-1);
      if (last === undefined) return void (await this.#bus.catchUp());
      const messages: { offset: string; message: RecentMessage["message"] | undefined }[] = [];
      for (const event of page) messages.push({ offset: event.offset, message: await reader.read(event) });
      // Read from the store, a change of the session may come before the node knows it.
      if (messages.some(({ message }) => this.#isOwnChange(message))) await this.#session.renew();
      await this.#send(messages.map(({ offset, message }) => ({ offset, event: this.#toEvent(message) })));
      this.#offset = last.offset;
    }
  }

  /** Notifies a client that was away for longer than messages are stored: anything may have changed. */
  async #sendAllChanges(): Promise<void> {
    if (this.#missedAt === this.#offset || !this.#session.isReady) return;
    this.#missedAt = this.#offset;
    for (const change of toAllChanges(this.#session.session)) {
      if (this.#connection.closed) return;
      const text = encodeNotification(...toNotification(change));
      // A client that comes back in their middle gets all of them again.
      await this.#connection.write(encodeEvent(text, this.#toId(this.#missedAt)));
    }
  }

  /** Sends the last of each kind of event: a slow reader gets no older ones. */
  async #send(
    messages: readonly { readonly offset: string; readonly event: ServerEvent | undefined }[],
  ): Promise<void> {
    const latest = new Map<string, Sendable>();
    for (const { offset, event } of messages) {
      if (event === undefined) continue;
      // Each log message is about something else.
      const key = event.kind === "log" ? `log at ${offset}` : toEventKey(event);
      latest.delete(key);
      latest.set(key, { offset, event });
    }
    for (const { offset, event } of latest.values()) {
      if (this.#connection.closed) return;
      this.#offset = offset;
      await this.#notify(event, this.#toId(offset));
    }
  }

  #notify(event: ServerEvent, id: string): Promise<void> {
    const { session, telemetry } = this.#session;
    const [method, params] = toNotification(event);
    return observeSending(telemetry, { method, params, revision: session.revision.version }, async (sent) =>
      this.#connection.write(encodeEvent(encodeNotification(method, sent), id)),
    );
  }

  #toEvent(message: RecentMessage["message"] | undefined): ServerEvent | undefined {
    if (message?.type !== "event" || !this.#session.isReady) return undefined;
    return isSubscribed(message.event, this.#session.session) ? message.event : undefined;
  }

  #isOwnChange(message: RecentMessage["message"] | undefined): boolean {
    return message?.type === "session-changed" && message.session === this.#session.session.id;
  }

  #toId(offset: string): string {
    return toEventId({ session: this.#session.session.id, stream: standaloneId, offset });
  }
}
