import type { RequestOptions } from "../../../../contract/channel.ts";
import { defaultTimeout } from "../../../../contract/deadline.ts";
import { CallLostError, RpcError } from "../../../../errors.ts";
import { sleep } from "../../../../lib/async/sleep.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import type { Peer } from "../../../../peer/peer.ts";
import { isLostCallError } from "../../../../protocol/lost-call-error.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import { RetryDelay } from "./retry-delay.ts";
import { isSessionLostError } from "./session-loss.ts";
import type { SessionRenewal } from "./session-renewal.ts";

export interface CallRetryParts {
  readonly peer: Peer;
  readonly pipe: {
    /** The server has forgotten the session. */
    readonly isLost: boolean;
    /** Marks the session as lost; false when there is none. */
    markSessionLost(): boolean;
  };
  readonly session: SessionRenewal;
  readonly closing: AbortSignal;
  revision(): Revision | undefined;
}

/**
 * Sends requests; one that is lost on the way and may be repeated is sent once more, under a new id.
 *
 * A server that was restarted loses a call twice: with its connection, then with its session.
 */
export class CallRetry {
  readonly #parts: CallRetryParts;
  #pause: Promise<void> | undefined;

  constructor(parts: CallRetryParts) {
    this.#parts = parts;
  }

  async send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { peer, pipe, session, revision } = this.#parts;
    const startedAt = performance.now();
    if (pipe.isLost && revision()) await session.renew();
    let losses: Set<CallLostError["lost"]> | undefined;
    for (let left = options; ; left = withoutTimeSpent(options, startedAt)) {
      try {
        return await peer.request(method, params, left);
      } catch (error) {
        const lost = this.#toLoss(error);
        // Before a revision is agreed on, negotiation decides what comes next.
        if (lost === undefined || revision() === undefined) throw error;
        losses ??= new Set();
        if (losses.has(lost.lost) || (!lost.mayRetry && !options.retry)) throw lost;
        losses.add(lost.lost);
        await this.#recover(lost);
      }
    }
  }

  #toLoss(error: unknown): CallLostError | undefined {
    if (error instanceof CallLostError) return error;
    if (!(error instanceof RpcError)) return undefined;
    if (isLostCallError(error))
      return new CallLostError(error.message, { lost: "connection", mayRetry: false }, { cause: error });
    if (!isSessionLostError(error)) return undefined;
    if (!this.#parts.pipe.markSessionLost()) return undefined;
    return new CallLostError(error.message, { lost: "session", mayRetry: true }, { cause: error });
  }

  async #recover(lost: CallLostError): Promise<void> {
    if (this.#parts.pipe.isLost) await this.#parts.session.renew();
    // Time for the server to come back, and for its other connections to be seen as gone.
    else if (lost.lost === "connection") await this.#waitBriefly();
  }

  /** One wait for all calls that are lost together. */
  #waitBriefly(): Promise<void> {
    this.#pause ??= sleep(new RetryDelay().next(), this.#parts.closing).finally(() => {
      this.#pause = undefined;
    });
    return this.#pause;
  }
}

function withoutTimeSpent({ timeout, ...options }: RequestOptions, startedAt: number): RequestOptions {
  const total = (timeout?.total ?? defaultTimeout.total) - (performance.now() - startedAt);
  return { ...options, timeout: { ...timeout, total } };
}
