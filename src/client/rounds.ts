import { OnDemand } from "../lib/async/on-demand.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Asks } from "./incoming/asks.ts";
import type { AskOrigin, InputRounds, RoundsResult } from "./input-rounds.ts";
import type { Requests } from "./requests.ts";
import type { SentCall } from "./sent-call.ts";

/**
 * Sends requests that the server may answer with `input_required`, and answers until it is done.
 *
 * basic/patterns/mrtr#client-requirements-basic-workflow (2026-07-28)
 */
export class Rounds {
  readonly #requests: Requests;
  /** Most calls are done with the first answer. */
  readonly #input: OnDemand<InputRounds>;

  constructor(requests: Requests, asks: Asks) {
    this.#requests = requests;
    this.#input = new OnDemand(async () => {
      const { InputRounds } = await import("./input-rounds.ts");
      return new InputRounds(requests, asks);
    });
  }

  send(call: SentCall): Promise<RoundsResult> {
    return this.#requests.join(async () => {
      const result = await this.#requests.sendCall(call);
      return this.#requests.isUnfinished(result) ? this.finish(call, result) : { result, rounds: 0 };
    });
  }

  /** The rounds that follow a result which asks for another one. */
  async finish(call: SentCall, first: JsonObject): Promise<RoundsResult> {
    const { spentMs } = call;
    return this.#input.use((input) => input.finish(call, spentMs, first));
  }

  /** The answers to the questions in a result, by their names. */
  async answer(method: string, asks: unknown, origin: AskOrigin): Promise<JsonObject> {
    return this.#input.use((input) => input.answer(method, asks, origin));
  }
}
