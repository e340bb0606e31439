import type { Channel, IncomingRequest, Receiver, Tap } from "../../contract/channel.ts";
import type { Transport } from "../../contract/transport.ts";
import { ConnectionClosedError, RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ClientReceiver } from "../incoming/receiver.ts";

export interface NegotiationParts {
  readonly transport: Transport;
  readonly receiver: ClientReceiver;
  readonly tap: Tap | undefined;
  readonly signal: AbortSignal | undefined;
  /** Stops the clock of opening. */
  readonly hold: () => () => void;
}

/** One channel on which a revision is negotiated. */
export class NegotiationChannel implements Receiver {
  readonly #parts: NegotiationParts;
  #channel: Channel | undefined;
  #closedBy: Error | undefined;
  #agreed = false;
  #rejectCurrent: ((error: RpcError) => void) | undefined;

  private constructor(parts: NegotiationParts) {
    this.#parts = parts;
  }

  /** `shape` is how the server was spoken to the last time. */
  static async open(parts: NegotiationParts, shape: string | undefined): Promise<NegotiationChannel> {
    const attempt = new NegotiationChannel(parts);
    const { transport, receiver, tap, signal, hold } = parts;
    attempt.#channel = await transport.open({
      receiver: attempt,
      revision: () => receiver.revision,
      tap,
      signal,
      hold,
      shape,
    });
    return attempt;
  }

  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  /**
   * Sends one request of the opening.
   *
   * Giving up sends no cancellation: `initialize` may not be cancelled, and a server that did
   * not understand `server/discover` has no use for it.
   */
  async request(
    method: string,
    params: JsonObject,
    ms: number = Number.POSITIVE_INFINITY,
  ): Promise<JsonObject> {
    const done = new AbortController();
    const { signal } = this.#parts;
    const orphan = new Promise<never>((_, reject) => {
      this.#rejectCurrent = reject;
    });
    try {
      const reply = this.#open().request(method, params, {
        // Not in total: a user may have to log in first, and opening as a whole has an end.
        timeout: { idle: ms, total: Number.POSITIVE_INFINITY },
        suppressCancel: true,
        signal: signal ? AbortSignal.any([signal, done.signal]) : done.signal,
      });
      return await Promise.race([reply, orphan]);
    } finally {
      this.#rejectCurrent = undefined;
      done.abort();
    }
  }

  /** Hands the channel over to the client. */
  agree(): Channel {
    this.#agreed = true;
    if (this.#closedBy) this.#parts.receiver.onClose(this.#closedBy);
    return this.#open();
  }

  async abandon(): Promise<void> {
    await this.#channel?.close();
  }

  onRequest(request: IncomingRequest): unknown {
    return this.#parts.receiver.onRequest(request);
  }

  onNotification(method: string, params: JsonObject): void {
    this.#parts.receiver.onNotification(method, params);
  }

  onProblem(problem: Error): void {
    // An error without an id answers the only request that is open.
    if (this.#rejectCurrent && problem instanceof RpcError) this.#rejectCurrent(problem);
    else this.#parts.receiver.onProblem(problem);
  }

  onReconnected(): void {
    this.#parts.receiver.onReconnected();
  }

  onClose(reason: Error): void {
    this.#closedBy = reason;
    if (this.#agreed) this.#parts.receiver.onClose(reason);
  }

  #open(): Channel {
    if (this.#channel) return this.#channel;
    throw new ConnectionClosedError("The connection is not open.");
  }
}
