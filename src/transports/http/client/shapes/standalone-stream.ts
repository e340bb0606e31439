import type { HeaderRecord } from "../../../../contract/channel.ts";
import { CallLostError, type HttpError } from "../../../../errors.ts";
import { sleep } from "../../../../lib/async/sleep.ts";
import type { HttpErrorResponse } from "../fetch/error-response.ts";
import { openEventStream } from "../fetch/open-event-stream.ts";
import type { ReceivedResponse } from "../http-exchange.ts";
import { readResumableEvents } from "../recovery/resumable-events.ts";
import { retryAfterMs } from "../recovery/retry-after.ts";
import { RetryDelay, reconnectSpreadMs } from "../recovery/retry-delay.ts";
import { isSessionLost, namesLostSession } from "../recovery/session-loss.ts";
import type { ShapeParts } from "./shape-interface.ts";

export interface StandaloneParts {
  readonly parts: ShapeParts;
  readonly signal: AbortSignal;
  /** The headers that name the session; called for each connection. */
  headers(): HeaderRecord;
  /** True when the session has an id, which the server may forget. */
  readonly hasSessionId: boolean;
  /** The server has forgotten the session. */
  onLost(): void;
}

const maxFirstTries = 5;
const notOffered: readonly number[] = [400, 404, 405, 406, 501];

/**
 * The stream for messages that belong to no request.
 *
 * basic/transports#listening-for-messages-from-the-server (2025-11-25)
 */
export class StandaloneStream {
  readonly #stream: StandaloneParts;
  #wasOpen = false;
  #tries = 0;

  constructor(stream: StandaloneParts) {
    this.#stream = stream;
  }

  /** Holds the stream for as long as the session lasts, if the server offers one. Never rejects. */
  async hold(): Promise<void> {
    const { parts, signal } = this.#stream;
    try {
      await readResumableEvents(await this.#open(), {
        sink: parts.sink,
        limits: parts,
        delay: new RetryDelay(reconnectSpreadMs),
        signal,
        isOver: () => false,
        reopen: (lastEventId) => this.#open(lastEventId),
      });
    } catch (error) {
      if (!signal.aborted && !(error instanceof NotOffered)) parts.onProblem(error as Error);
    }
  }

  /** Opens the stream; undefined to try again later. */
  async #open(lastEventId?: string): Promise<ReceivedResponse | undefined> {
    const { parts, signal, headers } = this.#stream;
    const resuming = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    try {
      const opened = await openEventStream(parts, { ...headers(), ...resuming }, signal);
      switch (opened.kind) {
        case "events":
          this.#wasOpen = true;
          return opened.response;
        case "something-else":
          throw new NotOffered();
        case "refused":
          // The session may have outlived the events that the server keeps.
          if (lastEventId !== undefined && isForgottenEvent(opened.errorResponse)) return await this.#open();
          return await this.#onRefusal(opened.errorResponse);
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof CallLostError)) throw error;
      return this.#onFailure(error);
    }
  }

  async #onRefusal(errorResponse: HttpErrorResponse): Promise<undefined> {
    const { status, error } = errorResponse;
    if (this.#wasOpen && this.#stream.hasSessionId && isSessionLost(errorResponse)) {
      this.#stream.onLost();
      throw new NotOffered();
    }
    if (notOffered.includes(status)) throw new NotOffered();
    if (status < 500 && status !== 409 && status !== 429) throw error;
    this.#onFailure(error);
    const busyMs = retryAfterMs(errorResponse, Number.POSITIVE_INFINITY);
    if (busyMs !== undefined) await sleep(busyMs, this.#stream.signal);
  }

  /** Gives up a stream that never opened after a few failures. */
  #onFailure(error: CallLostError | HttpError): undefined {
    if (!this.#wasOpen && ++this.#tries >= maxFirstTries) throw error;
    return undefined;
  }
}

function isForgottenEvent(errorResponse: HttpErrorResponse): boolean {
  return (errorResponse.status === 400 || errorResponse.status === 404) && !namesLostSession(errorResponse);
}

/** The server offers no such stream, which the specification allows. */
class NotOffered extends Error {}
