import type { Receiver } from "../contract/channel.ts";
import { InvalidResponseError } from "../errors.ts";
import { Throttle } from "../lib/async/throttle.ts";
import { encodeFailure, type RequestId, type RpcRequest } from "../protocol/message.ts";
import { methods } from "../protocol/method-table.ts";
import { defaultMaxMessageBytes } from "../protocol/parse.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { Reply, Responder } from "./responder.ts";

/** As many as a server runs calls at once by default, each of which may ask. */
const maxOpenRequests = 1_000;
const maxOpenChars = defaultMaxMessageBytes;
const maxUnsentAnswers = 1_000;
const reportMs = 60_000;

/** Limits what the requests of a server make a client hold: those that are open, and answers that the server does not take. */
export class RequestBudget {
  readonly #receiver: Pick<Receiver, "onProblem">;
  readonly #reports = new Throttle(reportMs);
  #open = 0;
  #chars = 0;
  #unsent = 0;

  constructor(receiver: Pick<Receiver, "onProblem">) {
    this.#receiver = receiver;
  }

  /**
   * Answers a request of this size, or refuses it where there is no room for it. It is dropped when the server takes no
   * answers: then a refusal would only wait with them.
   */
  answer(
    responder: Responder,
    request: RpcRequest,
    chars: number,
    relatedTo: RequestId | undefined,
  ): Reply | Promise<Reply> {
    if (this.#unsent >= maxUnsentAnswers) return this.#drop();
    const isFull = this.#open >= maxOpenRequests || this.#chars + chars > maxOpenChars;
    if (isFull && !methods.get(request.method)?.answersWhenBusy) return this.#refuse(request.id);
    const reply = responder.answer(request, chars, relatedTo);
    return reply instanceof Promise ? this.#hold(reply, chars) : reply;
  }

  #drop(): undefined {
    if (!this.#reports.isDue()) return;
    const problem = "The server sends requests and takes no answers; they are dropped.";
    this.#receiver.onProblem(new InvalidResponseError(problem));
  }

  #refuse(id: RequestId): string {
    const message = `Too many requests at once: this client holds ${this.#open} that are not answered yet.`;
    return encodeFailure(id, { code: WireCode.internal, message });
  }

  /** Counts a request until its answer is there, even if it is cancelled before: its handler may go on. */
  #hold<T>(answer: Promise<T>, chars: number): Promise<T> {
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
