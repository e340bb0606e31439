import { runLater } from "../../../lib/async/timers.ts";
import { waitAtMost } from "../../../lib/async/wait-at-most.ts";
import type { ChannelConnection, Open } from "./connection.ts";
import { Reopening } from "./reopening.ts";

/** A listener of a channel. Without a message: there may have been messages that got lost. */
export type ChannelListener = (message?: string) => void;

/** The time between two looks whether the connection still lives. */
const pingEveryMs = 10_000;
const pongWithinMs = 2_000;

/** All channels that a state listens to, over one connection that keeps no process alive. */
export class ChannelSubscriptions {
  readonly #channels = new Map<string, Set<ChannelListener>>();
  readonly #connection: Reopening<ChannelConnection>;
  #isOpening = false;
  #isClosed = false;

  constructor(open: Open<ChannelConnection>) {
    this.#connection = new Reopening(open, {
      onMessage: (channel, message) => this.#notify(channel, message),
      onClose: () => this.#reopen(),
    });
  }

  /** Listens to a channel, from about now on; returns the function that stops it. */
  add(channel: string, listener: ChannelListener): () => void {
    const own: ChannelListener = (message) => listener(message);
    const known = this.#channels.get(channel);
    if (known) known.add(own);
    else {
      this.#channels.set(channel, new Set([own]));
      const connection = this.#connection.current;
      if (connection) this.#subscribe(connection, channel);
      else this.#reopen();
    }
    return () => this.#remove(channel, own);
  }

  close(): void {
    this.#isClosed = true;
    this.#channels.clear();
    this.#connection.close();
  }

  #remove(channel: string, listener: ChannelListener): void {
    const listeners = this.#channels.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.#channels.delete(channel);
    // If it fails, the connection is lost, and all its channels with it.
    this.#connection.current?.unsubscribe(channel).catch(() => {});
  }

  /** Listeners run in a turn of their own, so that an error of one does not break the connection. */
  #notify(channel: string, message?: string): void {
    const listeners = this.#channels.get(channel) ?? new Set();
    for (const listener of listeners)
      queueMicrotask(() => {
        if (listeners.has(listener)) listener(message);
      });
  }

  /** Opens the connection as soon as the server is there, and listens to every channel again. */
  #reopen(): void {
    if (this.#isOpening || this.#isClosed || this.#channels.size === 0) return;
    this.#isOpening = true;
    runLater(() => {
      this.#connection
        .open()
        .then((connection) => this.#onOpen(connection))
        // The next attempt follows; meanwhile there are no hints, as the contract allows.
        .catch(() => {})
        .finally(() => {
          this.#isOpening = false;
          if (this.#connection.current === undefined) this.#reopen();
        });
    }, this.#connection.retryInMs);
  }

  #onOpen(connection: ChannelConnection): void {
    connection.hold(false);
    for (const channel of this.#channels.keys()) this.#subscribe(connection, channel);
    this.#ping(connection);
  }

  #subscribe(connection: ChannelConnection, channel: string): void {
    connection.subscribe(channel).then(
      () => this.#notify(channel),
      () => connection.close(),
    );
  }

  /** A connection that was cut without a word would stay silent for minutes. */
  #ping(connection: ChannelConnection): void {
    runLater(() => {
      if (this.#connection.current !== connection) return;
      waitAtMost(pongWithinMs, connection.command(["PING"]), () =>
        Promise.reject(new Error("No answer.")),
      ).then(
        () => this.#ping(connection),
        () => connection.close(),
      );
    }, pingEveryMs);
  }
}
