import type { Channel, Receiver, RequestOptions } from "../../../contract/channel.ts";
import { defaultTimeout } from "../../../contract/deadline.ts";
import type { OpenOptions } from "../../../contract/transport.ts";
import { CallLostError, RpcError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { sleep } from "../../../lib/sleep.ts";
import { Peer } from "../../../peer/peer.ts";
import { methods } from "../../../protocol/methods.ts";
import type { Revision } from "../../../protocol/revision.ts";
import { meansSessionLost } from "./fetch/error-response.ts";
import type { HttpClientSettings } from "./options.ts";
import { HttpPipe } from "./pipe.ts";
import { Backoff } from "./recovery/backoff.ts";
import { SessionRenewal } from "./recovery/session-renewal.ts";
import { SubscriptionRenewal } from "./recovery/subscription-renewal.ts";

/** A channel over HTTP, which outlives the connections and sessions that it is made of. */
export class HttpChannel implements Channel {
  readonly carriesHeaders = true;
  readonly #peer: Peer;
  readonly #pipe: HttpPipe;
  readonly #receiver: Receiver;
  readonly #revision: () => Revision | undefined;
  readonly #session: SessionRenewal;
  readonly #subscriptions: SubscriptionRenewal;
  readonly #closing = new AbortController();
  #moment: Promise<void> | undefined;

  constructor(url: URL, settings: HttpClientSettings, opening: OpenOptions) {
    const { receiver, revision = () => undefined, tap, shape, hold } = opening;
    const onProblem = (problem: Error) => receiver.onProblem(problem);
    const closing = this.#closing.signal;
    this.#receiver = receiver;
    this.#revision = revision;
    this.#pipe = new HttpPipe({
      url,
      settings,
      shape,
      hold,
      revision,
      onProblem,
      onLost: () => void this.#session.restore(),
    });
    this.#peer = new Peer(this.#pipe, { receiver: this.#listenIn(), side: "client", tap, framing: revision });
    this.#session = new SessionRenewal({
      peer: this.#peer,
      closing,
      revision,
      onProblem,
      isLost: () => this.#pipe.isLost,
      onRenewed: () => receiver.onReconnected?.(),
    });
    this.#subscriptions = new SubscriptionRenewal(this.#peer, closing);
    this.#peer.start();
  }

  get shape(): string {
    return this.#pipe.shape;
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const row = methods.get(method);
    if (row?.listens) return this.#subscriptions.hold(method, params, options);
    if (!row?.opens) return this.#send(method, params, options);
    this.#session.remember(params);
    return this.#peer.request(method, params, options);
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#peer.notify(method, params);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#peer.close();
  }

  /** Sends a request; when it is lost on the way and may be sent twice, sends it once more under a new id. */
  async #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const startedAt = performance.now();
    if (this.#pipe.isLost && this.#revision()) await this.#session.renew();
    try {
      return await this.#peer.request(method, params, options);
    } catch (error) {
      const lost = this.#toLoss(error);
      if (lost === undefined || this.#revision() === undefined) throw error;
      if (!lost.mayRetry && !options.retry) throw lost;
      await this.#recover(lost);
      return this.#peer.request(method, params, withoutTimeSpent(options, startedAt));
    }
  }

  /** Some servers say in an answer that they have forgotten the session. */
  #toLoss(error: unknown): CallLostError | undefined {
    if (error instanceof CallLostError) return error;
    if (!(error instanceof RpcError) || !meansSessionLost(error)) return undefined;
    if (!this.#pipe.markSessionLost()) return undefined;
    return new CallLostError(error.message, { lost: "session", mayRetry: true }, { cause: error });
  }

  async #recover(lost: CallLostError): Promise<void> {
    if (this.#pipe.isLost) await this.#session.renew();
    // A server that went away gets a moment to come back, and its other connections one to be seen as gone.
    else if (lost.lost === "connection") await this.#waitAMoment();
  }

  /** One wait for all calls that are lost together. */
  #waitAMoment(): Promise<void> {
    this.#moment ??= sleep(new Backoff().next(), this.#closing.signal).finally(() => {
      this.#moment = undefined;
    });
    return this.#moment;
  }

  #listenIn(): Receiver {
    const receiver = this.#receiver;
    return {
      onRequest: (request) => receiver.onRequest(request),
      onProblem: (problem) => receiver.onProblem(problem),
      onClose: (reason) => receiver.onClose(reason),
      onNotification: (method, params) => {
        if (this.#subscriptions.isBack(method, params)) receiver.onReconnected?.();
        receiver.onNotification(method, params);
      },
    };
  }
}

function withoutTimeSpent({ timeout, ...options }: RequestOptions, startedAt: number): RequestOptions {
  const total = (timeout?.total ?? defaultTimeout.total) - (performance.now() - startedAt);
  return { ...options, timeout: { ...timeout, total } };
}
