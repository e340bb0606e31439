import type { Channel, IncomingRequest, Receiver, Tap } from "../../contract/channel.ts";
import { Deadline } from "../../contract/deadline.ts";
import type { Telemetry } from "../../contract/telemetry.ts";
import type { OpenOptions, Transport } from "../../contract/transport.ts";
import { ConnectionClosedError, RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { ClientReceiver } from "../incoming/receiver.ts";
import type { OpenClock } from "./open-timeout.ts";

export interface NegotiationParts extends Pick<OpenClock, "hold" | "explainWith"> {
  readonly transport: Transport;
  readonly receiver: ClientReceiver;
  readonly tap: Tap | undefined;
  readonly showHead?: OpenOptions["showHead"];
  readonly telemetry?: Telemetry | undefined;
  readonly signal: AbortSignal | undefined;
}

/** One channel on which a revision is negotiated. */
export class NegotiationChannel implements Receiver {
  readonly #parts: NegotiationParts;
  #channel: Channel | undefined;
  #closedBy: Error | undefined;
  #agreed = false;
  /** Rejects the requests that are open, oldest first. */
  readonly #open = new Set<(error: RpcError) => void>();
  readonly #clocks = new Set<Deadline>();
  /** Ends the requests that are open when the negotiation is over. */
  readonly #over = new AbortController();

  private constructor(parts: NegotiationParts) {
    this.#parts = parts;
  }

  /** `shape` is how the server was spoken to the last time. */
  static async open(parts: NegotiationParts, shape: string | undefined): Promise<NegotiationChannel> {
    const attempt = new NegotiationChannel(parts);
    const { transport, receiver, tap, showHead, signal } = parts;
    const channel = await transport.open({
      receiver: attempt,
      revision: () => receiver.revision,
      tap,
      showHead,
      signal,
      hold: () => attempt.#hold(),
      shape,
    });
    attempt.#channel = channel;
    parts.explainWith(() => channel.explainSilence?.());
    return attempt;
  }

  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  /** Settles with the first sign of life of a server that was started for this channel; at once for any other. */
  get started(): Promise<void> {
    return this.#channel?.started ?? Promise.resolve();
  }

  /**
   * Sends one request of the opening.
   *
   * Giving up sends no cancellation: `initialize` may not be cancelled, and a server that did
   * not understand `server/discover` has no use for it.
   *
   * basic/utilities/cancellation#behavior-requirements (2025-11-25)
   */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    const { telemetry, transport } = this.#parts;
    if (telemetry === undefined) return this.#request(method, params);
    return telemetry.send({ method, params, to: transport }, (traced, onId) =>
      this.#request(method, traced, onId),
    );
  }

  async #request(method: string, params: JsonObject, onId?: (id: RequestId) => void): Promise<JsonObject> {
    const { signal } = this.#parts;
    const over = this.#over.signal;
    let rejectOrphan: (error: RpcError) => void = () => {};
    const orphan = new Promise<never>((_, reject) => {
      rejectOrphan = reject;
    });
    this.#open.add(rejectOrphan);
    try {
      const reply = this.#opened().request(method, params, {
        // A user may have to log in first, and opening as a whole has an end.
        timeout: { idle: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
        suppressCancel: true,
        onId,
        signal: signal ? AbortSignal.any([signal, over]) : over,
      });
      return await Promise.race([reply, orphan]);
    } finally {
      this.#open.delete(rejectOrphan);
    }
  }

  /** The outcome of work; undefined when it takes longer than `ms`, not counting the time of a user. */
  async within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    let expire: (late: undefined) => void = () => {};
    const late = new Promise<undefined>((resolve) => {
      expire = resolve;
    });
    const limit = { idle: ms, total: Number.POSITIVE_INFINITY };
    const clock = new Deadline("Negotiation", limit, () => expire(undefined));
    this.#clocks.add(clock);
    try {
      return await Promise.race([work, late]);
    } finally {
      clock.stop();
      this.#clocks.delete(clock);
    }
  }

  /** Hands the channel over to the client. */
  agree(): Channel {
    this.#agreed = true;
    this.#over.abort();
    if (this.#closedBy) this.#parts.receiver.onClose(this.#closedBy);
    return this.#opened();
  }

  /** The error of the negotiation, as the transport explains it. */
  async explain(error: unknown): Promise<unknown> {
    return error instanceof Error ? (this.#channel?.explainFailure?.(error) ?? error) : error;
  }

  async abandon(): Promise<void> {
    // An answer may have agreed on this channel just before it was given up.
    this.#agreed = false;
    this.#over.abort();
    await this.#channel?.close();
  }

  onRequest(request: IncomingRequest): unknown {
    return this.#parts.receiver.onRequest(request);
  }

  onNotification(method: string, params: JsonObject, relatedTo?: RequestId): void {
    this.#parts.receiver.onNotification(method, params, relatedTo);
  }

  onProblem(problem: Error): void {
    const [oldest] = this.#open;
    // An error without an id answers the request that has waited longest.
    if (oldest && problem instanceof RpcError) oldest(problem);
    else this.#parts.receiver.onProblem(problem);
  }

  onReconnected(): void {
    this.#parts.receiver.onReconnected();
  }

  onClose(reason: Error): void {
    this.#closedBy = reason;
    if (this.#agreed) this.#parts.receiver.onClose(reason);
  }

  #hold(): () => void {
    const releases = [this.#parts.hold(), ...[...this.#clocks].map((clock) => clock.hold())];
    return () => {
      for (const release of releases) release();
    };
  }

  #opened(): Channel {
    if (this.#channel) return this.#channel;
    throw new ConnectionClosedError("The connection is not open.");
  }
}
