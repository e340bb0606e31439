import { type EventRelay, type LogEvent, receiversKey, type ServerEvent } from "../contract/server-event.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import { BoundedMap } from "../lib/bounded/bounded-map.ts";
import type { LogSink } from "./log.ts";

type Listener = (event: ServerEvent) => void;

/** One of many thousands who wait for events, so that it is no function, which would take memory of its own. */
export interface EventListener {
  onEvent(event: ServerEvent): void;
  /** Called when events of other nodes were lost. */
  onMissed?(): void;
}

/** The number of listeners that are notified in one turn. */
const listenersPerTurn = 128;

/** Log messages that wait for one slow client; it misses older ones. */
const maxWaitingLogs = 100;
/** The audiences that places are counted for; one that is forgotten may miss a message that waits. */
const maxCountedAudiences = 10_000;

/** The places in which log messages wait. The messages of many servers meet here, so no mount gives places. */
class LogPlaces {
  readonly #counts = new BoundedMap<string, number>(maxCountedAudiences);

  /** The event with a place, if it is a log message. */
  place(event: ServerEvent): ServerEvent {
    if (event.kind !== "log") return event;
    const audience = receiversKey(event);
    const count = this.#counts.get(audience) ?? 0;
    this.#counts.set(audience, count + 1);
    return { ...event, place: count % maxWaitingLogs };
  }
}

/** The events of one server, for all its connections. */
export class ServerEvents {
  readonly #log: LogSink;
  readonly #listeners = new Set<EventListener>();
  /** The servers that mount this one. Each sends the events of this process its own way. */
  readonly #hosts = new Set<Listener>();
  /** The way of events through all nodes, which comes back to `deliver`; undefined where there is only this process. */
  relay: EventRelay | undefined;
  readonly #pending = new Set<"tools" | "prompts" | "resources">();
  readonly #fanOut = new OnDemand(async () => {
    const { EventFanOut } = await import("./event-fan-out.ts");
    return new EventFanOut(this.#listeners, listenersPerTurn);
  });
  /** The events that listeners are being notified of in turns. */
  #fanningOut = 0;
  readonly #places = { relayed: new LogPlaces(), delivered: new LogPlaces() };

  constructor(log: LogSink) {
    this.#log = log;
  }

  /** Notifies the listener of each event, of any node, until it is deleted. */
  add(listener: EventListener): void {
    this.#listeners.add(listener);
    // A store that is away is reported where events are needed, and the next look may succeed.
    this.following?.catch(() => {});
  }

  delete(listener: EventListener): void {
    this.#listeners.delete(listener);
  }

  /** Calls the listener with each event of this process. */
  onOwn(listener: Listener): () => void {
    this.#hosts.add(listener);
    return () => void this.#hosts.delete(listener);
  }

  /** Settles when later events of other nodes will be delivered; undefined where there are none. */
  get following(): Promise<void> | undefined {
    return this.relay?.follow();
  }

  /** Gives an event of any node to the listeners. */
  deliver(event: ServerEvent): void {
    this.#notify(event);
  }

  /** Notifies the listeners that events of other nodes were lost. */
  miss(): void {
    for (const listener of [...this.#listeners]) listener.onMissed?.();
  }

  /** Notifies of a changed list, once for all changes within one turn. */
  listChanged(kind: "tools" | "prompts" | "resources"): void {
    const isUnheard = this.#listeners.size + this.#hosts.size === 0 && this.relay === undefined;
    if (isUnheard || this.#pending.has(kind)) return;
    this.#pending.add(kind);
    queueMicrotask(() => {
      this.#pending.delete(kind);
      void this.#publish({ kind });
    });
  }

  /** A promise where other nodes are notified, too: it settles when they all will be. */
  resourceUpdated(uri: string): MaybePromise<void> {
    return this.#publish({ kind: "resource", uri });
  }

  elicitationCompleted(id: string): void {
    void this.#publish({ kind: "elicitation", id });
  }

  logged(event: Omit<LogEvent, "kind" | "place">): void {
    void this.#publish({ ...event, kind: "log" });
  }

  /** Passes on an event of a mount. */
  forward(event: ServerEvent): void {
    void this.#publish(event);
  }

  /** Sends an event to all nodes, or to the listeners where there is only this process. */
  #publish(event: ServerEvent): MaybePromise<void> {
    for (const host of this.#hosts) host(event);
    return this.relay ? this.relay.publish(this.#places.relayed.place(event)) : this.#notify(event);
  }

  #notify(given: ServerEvent): void {
    const event = this.#places.delivered.place(given);
    if (this.#fanningOut > 0 || this.#listeners.size > listenersPerTurn)
      return void this.#notifyInTurns(event);
    for (const listener of this.#listeners) listener.onEvent(event);
  }

  /** Notifies many listeners without keeping the process from other work. */
  async #notifyInTurns(event: ServerEvent): Promise<void> {
    this.#fanningOut++;
    try {
      await this.#fanOut.use((fanOut) => fanOut.notify(event));
    } catch (cause) {
      this.#log({ message: "Clients missed a change", cause });
    } finally {
      this.#fanningOut--;
    }
  }
}
