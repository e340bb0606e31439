import { OnDemand } from "../lib/async/on-demand.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { Asks } from "./incoming/asks.ts";
import type { InputRounds, Origin, RoundsResult } from "./input-rounds.ts";
import type { ClientCall } from "./middleware.ts";
import type { Requests } from "./requests.ts";

/**
 * Sends requests that the server may answer with `input_required`, and answers until it is done.
 *
 * basic/patterns/mrtr (2026-07-28)
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

  send(call: ClientCall): Promise<RoundsResult> {
    return this.#requests.join(() => this.#send(call));
  }

  /** The answers to the questions in a result, by their names. */
  async answer(method: string, asks: unknown, origin: Origin): Promise<JsonObject> {
    return this.#input.use((input) => input.answer(method, asks, origin));
  }

  async #send(call: ClientCall): Promise<RoundsResult> {
    const startedAt = performance.now();
    let relatedTo: RequestId | undefined;
    const numbered: ClientCall = {
      ...call,
      onId: (id) => {
        relatedTo = id;
        call.onId?.(id);
      },
    };
    const result = await this.#requests.sendCall(numbered);
    if (!this.#requests.isUnfinished(result)) return { result, rounds: 0 };
    const sent = { call: numbered, spentMs: performance.now() - startedAt, relatedTo: () => relatedTo };
    return this.#input.use((input) => input.finish(sent, result));
  }
}
