import { settlesWithin } from "../../../lib/async/wait-at-most.ts";
import type { RequestId } from "../../../protocol/message.ts";
import type { HttpReply } from "./http-interface.ts";
import type { BodyLimits } from "./request/body-limits.ts";
import type { AwaitedBody, RouteOutcome } from "./routing/routes.ts";

/**
 * The requests that are being answered, step by step: at once where nothing waits.
 *
 * Holds only the reply until the end: a call may run for days, and its request would stay in memory.
 */
export class OpenRequests {
  readonly #bodyLimits: BodyLimits;
  /** Answers a request after an error, under its id where it was read. */
  readonly fail: (reply: HttpReply, error: unknown, id?: RequestId) => void;
  readonly #onIdle: (() => void)[] = [];
  /** The replies that nobody can get any more, though their handlers have not ended. */
  readonly #abandoned = new Set<HttpReply>();
  #count = 0;

  constructor(bodyLimits: BodyLimits, fail: OpenRequests["fail"]) {
    this.#bodyLimits = bodyLimits;
    this.fail = fail;
  }

  /** Takes the first step of an answer, and those that follow from it. */
  answer(reply: HttpReply, step: () => RouteOutcome): void {
    this.#count++;
    this.#run(reply, step);
  }

  /** Marks the reply to an open request as one that nobody waits for: its client is gone. */
  abandon(reply: HttpReply): void {
    this.#abandoned.add(reply);
    this.#notifyIdle();
  }

  /** Settles once no client waits for an answer, or after the time limit. */
  async drained(withinMs: number): Promise<void> {
    if (this.#isIdle) return;
    const idle = new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await settlesWithin(withinMs, idle);
  }

  #run(reply: HttpReply, step: () => RouteOutcome): void {
    let outcome: RouteOutcome;
    try {
      outcome = step();
    } catch (error) {
      return this.#onFailure(reply, error);
    }
    if (outcome instanceof Promise)
      outcome.then(
        (settled) => this.#run(reply, () => settled),
        (error: unknown) => this.#onFailure(reply, error),
      );
    else if (outcome === undefined) this.#onEnd(reply);
    else this.#awaitBody(outcome);
  }

  #awaitBody({ admitted, receive }: AwaitedBody): void {
    const { http, reply } = admitted;
    http.readText(this.#bodyLimits, admitted, (body) => this.#run(reply, () => receive(body)));
  }

  #onFailure(reply: HttpReply, error: unknown): void {
    this.fail(reply, error);
    this.#onEnd(reply);
  }

  #onEnd(reply: HttpReply): void {
    this.#count--;
    this.#abandoned.delete(reply);
    this.#notifyIdle();
  }

  get #isIdle(): boolean {
    return this.#count === this.#abandoned.size;
  }

  #notifyIdle(): void {
    if (this.#onIdle.length > 0 && this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
