import { CallLostError, type HttpError } from "../../../protocol/errors.ts";
import { BackOff, crowdSpreadMs } from "./back-off.ts";
import { followEvents } from "./follow-events.ts";
import type { HeaderRecord } from "./http-client-options.ts";
import { getHeaders, type LineParts } from "./line.ts";
import { isEventStream } from "./read-body.ts";
import { isSessionLost, type Refusal, readRefusal, saysSessionIsLost } from "./refusal.ts";
import { discard } from "./sender.ts";

export interface StandaloneParts {
  readonly line: LineParts;
  readonly signal: AbortSignal;
  /** Those that name the session; asked each time. */
  headers(): HeaderRecord;
  /** Whether the server gave the session an id, which it may forget. */
  readonly hasSessionId: boolean;
  /** The server has forgotten the session. */
  onLost(): void;
}

const maxFirstTries = 5;
const notOffered: readonly number[] = [400, 404, 405, 406, 501];

/** The stream beside the requests, on which a server says what belongs to none of them. */
export class StandaloneStream {
  readonly #parts: StandaloneParts;
  #wasOpen = false;
  #tries = 0;

  constructor(parts: StandaloneParts) {
    this.#parts = parts;
  }

  /** Holds the stream for as long as the session lasts, if the server offers one. Never rejects. */
  async hold(): Promise<void> {
    const { line, signal } = this.#parts;
    try {
      const first = await this.#open(undefined);
      await followEvents(first, {
        pulse: line.pulse,
        maxBytes: line.maxBytes,
        backOff: new BackOff(crowdSpreadMs),
        signal,
        isOver: () => false,
        onMessage: (text) => line.sink.onText(text),
        reopen: (lastEventId) => this.#open(lastEventId),
      });
    } catch (error) {
      if (!signal.aborted && !(error instanceof NotOffered)) line.onProblem(error as Error);
    }
  }

  /** Undefined when it is worth trying again later. */
  async #open(lastEventId: string | undefined): Promise<Response | undefined> {
    const { line, signal, headers } = this.#parts;
    const resuming = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    try {
      const response = await line.sender.send("GET", line.url, {
        headers: { ...getHeaders, ...headers(), ...resuming },
        signal,
      });
      if (response.ok && isEventStream(response)) {
        this.#wasOpen = true;
        return response;
      }
      if (response.ok) {
        discard(response);
        throw new NotOffered();
      }
      const refusal = await readRefusal(response, "GET", line.url);
      // The session may have outlived the events that the server keeps.
      if (lastEventId !== undefined && isForgottenEvent(refusal)) return await this.#open(undefined);
      return this.#onRefusal(refusal);
    } catch (error) {
      if (signal.aborted || !(error instanceof CallLostError)) throw error;
      return this.#onFailure(error);
    }
  }

  #onRefusal(refusal: Refusal): undefined {
    const { status, error } = refusal;
    if (this.#wasOpen && this.#parts.hasSessionId && isSessionLost(refusal)) {
      this.#parts.onLost();
      throw new NotOffered();
    }
    if (notOffered.includes(status)) throw new NotOffered();
    if (status < 500 && status !== 409 && status !== 429) throw error;
    return this.#onFailure(error);
  }

  /** A stream that never opened is given up after a while. */
  #onFailure(error: CallLostError | HttpError): undefined {
    if (!this.#wasOpen && ++this.#tries >= maxFirstTries) throw error;
    return undefined;
  }
}

function isForgottenEvent(refusal: Refusal): boolean {
  return (refusal.status === 400 || refusal.status === 404) && !saysSessionIsLost(refusal);
}

/** The server has no such stream, which is its right. */
class NotOffered extends Error {}
