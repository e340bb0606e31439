import { untilAborted } from "../../contract/cancelled-error.ts";
import type { Channel, Receiver, RequestOptions } from "../../contract/channel.ts";
import type { OpenOptions } from "../../contract/transport.ts";
import { ConnectionClosedError, ProcessError } from "../../errors.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Peer } from "../../peer/peer.ts";
import { methods } from "../../protocol/method-table.ts";

/** The delay before a program is started again for its subscriptions; it doubles while the program keeps dying. */
const firstDelayMs = 1_000;
const longestDelayMs = 30_000;
const healthyMs = 30_000;

/** Starts the program; `signal` gives up the start. */
type OpenPeer = (receiver: Receiver, signal?: AbortSignal) => Promise<Peer>;

/** A subscription whose process has died. */
interface LostSubscription {
  send(peer: Peer): void;
  reject(error: Error): void;
}

/**
 * A channel to a program that is started again when it has died, for the next call or its subscriptions.
 *
 * Only in revisions without sessions: there a new process can take the place of the old one.
 * basic/transports/stdio#unexpected-termination (2026-07-28)
 */
export class RestartingChannel implements Channel {
  readonly #opening: OpenOptions;
  readonly #openPeer: OpenPeer;
  readonly #closing = new AbortController();
  readonly #lost = new Set<LostSubscription>();
  #peer: Peer | undefined;
  #first: Peer | undefined;
  #starting: Promise<Peer> | undefined;
  /** The error by which all open requests of the last process ended. */
  #lostBy: Error | undefined;
  #startedAt = 0;
  #delayMs = firstDelayMs;

  private constructor(opening: OpenOptions, openPeer: OpenPeer) {
    this.#opening = opening;
    this.#openPeer = openPeer;
  }

  static async open(opening: OpenOptions, openPeer: OpenPeer): Promise<RestartingChannel> {
    const channel = new RestartingChannel(opening, openPeer);
    channel.#first = await channel.#start(opening.signal);
    return channel;
  }

  get started(): Promise<void> | undefined {
    return this.#first?.started;
  }

  explainSilence(): Error | undefined {
    return this.#peer?.explainSilence();
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    if (methods.get(method)?.listens) return this.#listen(method, params, options);
    const peer = this.#peer;
    if (peer === undefined || options.retry) return this.#requestSafely(method, params, options);
    return peer.request(method, params, options);
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    await (this.#peer ?? (await this.#restart())).notify(method, params);
  }

  async close(reason?: Error): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const closed = reason ?? new ConnectionClosedError("The connection is closed.");
    this.#closing.abort(closed);
    this.#rejectLost(closed);
    // A process that is being started ends with its start.
    const peer = this.#peer ?? (await this.#starting?.catch(() => undefined));
    if (peer === undefined) this.#opening.receiver.onClose(closed);
    await peer?.close(closed);
  }

  /** Sends a request to a living process; one that may be repeated is sent once more if the process dies. */
  async #requestSafely(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const peer = this.#peer ?? (await untilAborted(this.#restart(), method, options.signal));
    try {
      return await peer.request(method, params, options);
    } catch (error) {
      if (!options.retry || !this.#isLoss(error)) throw error;
      const next = await untilAborted(this.#restart(), method, options.signal);
      return next.request(method, params, options);
    }
  }

  /** Holds a subscription, over as many processes as that takes. */
  #listen(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const subscription: LostSubscription = {
        reject,
        send: (peer) =>
          void peer.request(method, params, options).then(resolve, (error: Error) => {
            if (options.signal?.aborted || !this.#isLoss(error)) return reject(error);
            this.#lost.add(subscription);
            void this.#restartForSubscriptions();
          }),
      };
      options.signal?.addEventListener("abort", () => {
        if (this.#lost.delete(subscription)) reject(this.#lostBy);
      });
      if (this.#peer) subscription.send(this.#peer);
      else this.#restart().then(subscription.send, reject);
    });
  }

  async #restartForSubscriptions(): Promise<void> {
    try {
      await sleep(this.#delayMs, this.#closing.signal);
      if (this.#lost.size > 0) await this.#restart();
    } catch (error) {
      this.#rejectLost(error as Error);
    }
  }

  #rejectLost(error: Error): void {
    for (const subscription of this.#lost) subscription.reject(error);
    this.#lost.clear();
  }

  #isLoss(error: unknown): boolean {
    return error === this.#lostBy && !this.#closing.signal.aborted;
  }

  /** Starts the program for all that wait for it; at once if it is running by now. */
  #restart(): Promise<Peer> {
    if (this.#peer) return Promise.resolve(this.#peer);
    this.#starting ??= this.#renew().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #renew(): Promise<Peer> {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    const peer = await this.#start();
    // The subscriptions come first: the host, once notified, reads what it may have missed.
    for (const subscription of this.#lost) subscription.send(peer);
    this.#lost.clear();
    this.#opening.receiver.onReconnected?.();
    return peer;
  }

  async #start(signal?: AbortSignal): Promise<Peer> {
    const { receiver } = this.#opening;
    const watched: Receiver = {
      onRequest: (request) => receiver.onRequest(request),
      onNotification: (...given) => receiver.onNotification(...given),
      onProblem: (problem) => receiver.onProblem(problem),
      onClose: (reason) => this.#onClose(reason),
    };
    const peer = await this.#openPeer(watched, signal);
    this.#startedAt = performance.now();
    this.#peer = peer;
    return peer;
  }

  #onClose(reason: Error): void {
    const { receiver, revision } = this.#opening;
    const mayRestart = revision?.()?.opening === "each-request" && !this.#closing.signal.aborted;
    if (!mayRestart) return receiver.onClose(reason);
    this.#peer = undefined;
    this.#lostBy = reason;
    const wasHealthy = performance.now() - this.#startedAt >= healthyMs;
    this.#delayMs = wasHealthy ? firstDelayMs : Math.min(this.#delayMs * 2, longestDelayMs);
    receiver.onProblem(toReport(reason));
  }
}

function toReport(reason: Error): Error {
  const message = `${reason.message} It is started again for the next call.`;
  if (reason instanceof ProcessError) return new ProcessError(message, reason, { cause: reason });
  return new ConnectionClosedError(message, { cause: reason });
}
