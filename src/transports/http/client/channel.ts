import type { Channel, Receiver, RequestOptions } from "../../../contract/channel.ts";
import type { OpenOptions } from "../../../contract/transport.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { createClientPeer } from "../../../peer/client-peer.ts";
import type { Peer } from "../../../peer/peer.ts";
import { methods } from "../../../protocol/method-table.ts";
import type { OpenSettings } from "./options.ts";
import { HttpPipe } from "./pipe.ts";
import { CallRetry } from "./recovery/call-retry.ts";
import { SubscriptionRenewal } from "./recovery/listen-renewal.ts";
import { SessionRenewal } from "./recovery/session-renewal.ts";
import { showExchanges } from "./shown-exchanges.ts";

/** A channel over HTTP, which outlives its connections and sessions. */
export class HttpChannel implements Channel {
  readonly carriesHeaders = true;
  readonly #url: URL;
  readonly #peer: Peer;
  readonly #pipe: HttpPipe;
  readonly #receiver: Receiver;
  readonly #session: SessionRenewal;
  readonly #subscriptions: SubscriptionRenewal;
  readonly #closing = new AbortController();
  readonly #retry: CallRetry;

  constructor(url: URL, given: OpenSettings, opening: OpenOptions) {
    const { receiver, revision = () => undefined, tap, showHead, wrapPipe, shape, hold } = opening;
    const settings = showHead ? { ...given, send: showExchanges(given.send, showHead) } : given;
    const onProblem = (problem: Error) => receiver.onProblem(problem);
    const closing = this.#closing.signal;
    this.#url = url;
    this.#receiver = receiver;
    this.#pipe = new HttpPipe({
      url,
      settings,
      shape,
      hold,
      revision,
      onProblem,
      onLost: () => void this.#session.restore(),
    });
    this.#peer = createClientPeer(this.#pipe, {
      receiver: this.#watchRenewals(),
      tap,
      wrapPipe,
      revision,
    });
    this.#session = new SessionRenewal({
      peer: this.#peer,
      closing,
      revision,
      onProblem,
      isLost: () => this.#pipe.isLost,
      onRenewed: () => receiver.onReconnected?.(),
    });
    this.#retry = new CallRetry({
      peer: this.#peer,
      pipe: this.#pipe,
      session: this.#session,
      closing,
      revision,
    });
    this.#subscriptions = new SubscriptionRenewal(this.#peer, closing);
    this.#peer.start();
  }

  get shape(): string | undefined {
    return this.#pipe.shape;
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const row = methods.get(method);
    if (row?.listens) return this.#subscriptions.hold(method, params, options);
    if (!row?.opens) return this.#retry.send(method, params, options);
    this.#session.remember(params);
    return this.#peer.request(method, params, options);
  }

  explainSilence(): Error | undefined {
    return this.#peer.explainSilence();
  }

  async explainFailure(error: Error): Promise<Error> {
    // Loaded on demand: it explains a mistake.
    const { explainOpening } = await import("./opening-failure.ts");
    return explainOpening(this.#url, error);
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#peer.notify(method, params);
  }

  answersSent(): Promise<void> {
    return this.#pipe.answersSent();
  }

  async close(reason?: Error): Promise<void> {
    this.#closing.abort();
    await this.#peer.close(reason);
  }

  #watchRenewals(): Receiver {
    const receiver = this.#receiver;
    return {
      onRequest: (request) => receiver.onRequest(request),
      onProblem: (problem) => receiver.onProblem(problem),
      onClose: (reason) => receiver.onClose(reason),
      onNotification: (method, params, relatedTo) => {
        if (this.#subscriptions.isBack(method, params)) receiver.onReconnected?.();
        receiver.onNotification(method, params, relatedTo);
      },
    };
  }
}
