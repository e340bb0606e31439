import { settlesWithin } from "../../../lib/async/wait-at-most.ts";
import type { HttpReply } from "./http-interface.ts";
import type { BodyLimits } from "./request/request-body.ts";
import type { AwaitedBody, RouteOutcome } from "./routing/routes.ts";

/**
 * The requests that are being answered, step by step: at once where nothing waits.
 *
 * Holds only the reply until the end: a call may run for days, and its request would stay in memory.
 */
export class OpenRequests {
  readonly #bodyLimits: BodyLimits;
  readonly #fail: (reply: HttpReply, error: unknown) => void;
  readonly #onIdle: (() => void)[] = [];
  #count = 0;

  /** `fail` answers a request after an error. */
  constructor(bodyLimits: BodyLimits, fail: (reply: HttpReply, error: unknown) => void) {
    this.#bodyLimits = bodyLimits;
    this.#fail = fail;
  }

  /** Takes the first step of an answer, and those that follow from it. */
  answer(reply: HttpReply, step: () => RouteOutcome): void {
    this.#count++;
    this.#run(reply, step);
  }

  /** Settles once no request is open, or after the time limit. */
  async drained(withinMs: number): Promise<void> {
    if (this.#count === 0) return;
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
    else if (outcome === undefined) this.#onEnd();
    else this.#awaitBody(outcome);
  }

  #awaitBody({ admitted, receive }: AwaitedBody): void {
    const { http, reply } = admitted;
    http.readText(this.#bodyLimits, admitted, (body) => this.#run(reply, () => receive(body)));
  }

  #onFailure(reply: HttpReply, error: unknown): void {
    this.#fail(reply, error);
    this.#onEnd();
  }

  #onEnd(): void {
    if (--this.#count === 0 && this.#onIdle.length > 0)
      for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
