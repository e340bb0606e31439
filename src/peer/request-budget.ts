import { RpcError } from "../errors.ts";
import { Throttle } from "../lib/async/throttle.ts";
import { defaultMaxMessageBytes } from "../protocol/parse.ts";
import { WireCode } from "../protocol/wire-error.ts";

/** As many as a server runs calls at once by default, each of which may ask. */
const maxOpenRequests = 1_000;
const maxOpenChars = defaultMaxMessageBytes;
const maxUnsentAnswers = 1_000;
const reportMs = 60_000;

/** Limits what the requests of a server make a client hold: those that are open, and answers that the server does not take. */
export class RequestBudget {
  readonly #reports = new Throttle(reportMs);
  #open = 0;
  #chars = 0;
  #unsent = 0;

  /** True when the server takes no answers: then a refusal would only wait with them. */
  get isClogged(): boolean {
    return this.#unsent >= maxUnsentAnswers;
  }

  /** Returns whether another dropped request is worth a report. */
  get isReportDue(): boolean {
    return this.#reports.isDue();
  }

  /** The refusal of a request of this size; undefined when there is room for it. */
  refuse(chars: number): RpcError | undefined {
    if (this.#open < maxOpenRequests && this.#chars + chars <= maxOpenChars) return undefined;
    const message = `Too many requests at once: this client holds ${this.#open} that are not answered yet.`;
    return new RpcError(WireCode.internal, message);
  }

  /** Counts a request until its answer is there, even if it is cancelled before: its handler may go on. */
  hold<T>(answer: Promise<T>, chars: number): Promise<T> {
    this.#open++;
    this.#chars += chars;
    return answer.finally(() => {
      this.#open--;
      this.#chars -= chars;
    });
  }

  /** Counts an answer that waits to be sent. */
  async send(sending: Promise<void>): Promise<void> {
    this.#unsent++;
    try {
      await sending;
    } finally {
      this.#unsent--;
    }
  }
}
