import { untilAborted } from "../contract/cancelled-error.ts";
import { InvalidResponseError, RpcError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import { HostRefusal } from "./incoming/answer-ask.ts";
import type { Ask } from "./incoming/ask.ts";
import type { Asks } from "./incoming/asks.ts";
import type { Requests } from "./requests.ts";
import type { SentCall } from "./sent-call.ts";
import { TimeBudget } from "./time-budget.ts";

/** A finished result, and how many times the server asked on the way to it. */
export interface RoundsResult {
  readonly result: JsonObject;
  readonly rounds: number;
}

/** The call that questions came with. */
export interface AskOrigin {
  readonly signal: AbortSignal | undefined;
  /** The id of its request, as far as it is known. */
  readonly relatedTo: RequestId | undefined;
}

const maxRounds = 16;
// A user can answer only so many questions in one round; more are an attack.
const maxAsks = 64;

/** The rounds of calls after the first: the host answers, and the call is sent again. */
export class InputRounds {
  readonly #requests: Requests;
  readonly #asks: Asks;

  constructor(requests: Requests, asks: Asks) {
    this.#requests = requests;
    this.#asks = asks;
  }

  async finish(call: SentCall, spentMs: number, first: JsonObject): Promise<RoundsResult> {
    const { method, signal } = call;
    const time = new TimeBudget(method, { ...this.#requests.timeout, ...call.timeout }, spentMs);
    // The state of an earlier round belongs to the first request only.
    // basic/patterns/mrtr#client-requirements-basic-workflow (2026-07-28)
    const { inputResponses: _, requestState: __, ...others } = call.params;
    let result = first;
    let rounds = 0;
    while (this.#requests.isUnfinished(result)) {
      if (rounds === maxRounds)
        throw new InvalidResponseError(`${method} asked for input ${maxRounds} times and never finished.`);
      rounds++;
      const { lastId: relatedTo } = call;
      const asking = result;
      const answers = await time.spendWithin(signal, (within) =>
        this.#answerAll(method, asking, { signal: within, relatedTo }),
      );
      const params = { ...others, ...answers };
      result = await time.spend((limits) => this.#requests.sendCall({ ...call, params, timeout: limits }));
    }
    return { result, rounds };
  }

  /** The params of the next request beside those of the first: answers and state. */
  async #answerAll(method: string, result: JsonObject, origin: AskOrigin): Promise<JsonObject> {
    const { inputRequests, requestState } = result;
    if (inputRequests === undefined && requestState === undefined)
      throw new InvalidResponseError(`${method} needs input but asks no question.`);
    if (requestState !== undefined && typeof requestState !== "string")
      throw new InvalidResponseError(`${method} has a requestState that is not a string.`);
    return {
      ...(inputRequests !== undefined && {
        inputResponses: await this.answer(method, inputRequests, origin),
      }),
      ...(requestState !== undefined && { requestState }),
    };
  }

  /** The answers to the questions in a result, by their names. */
  async answer(method: string, asks: unknown, { signal, relatedTo }: AskOrigin): Promise<JsonObject> {
    if (!isObject(asks))
      throw new InvalidResponseError(`${method} has inputRequests that are not an object.`);
    const entries = Object.entries(asks);
    if (entries.length > maxAsks)
      throw new InvalidResponseError(`${method} asks ${entries.length} questions at once.`);
    const stop = new AbortController();
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    try {
      const answers = Promise.all(
        entries.map(
          async ([key, ask]) =>
            [key, await this.#answerOne(method, ask, { signal: either, relatedTo })] as const,
        ),
      );
      return Object.fromEntries(await untilAborted(answers, method, signal));
    } finally {
      // After one failure, the other answers are not needed.
      stop.abort();
    }
  }

  async #answerOne(
    method: string,
    ask: unknown,
    origin: Pick<Ask, "signal" | "relatedTo">,
  ): Promise<JsonObject> {
    if (!isObject(ask) || typeof ask.method !== "string")
      throw new InvalidResponseError(`${method} asks without a method.`);
    const params = ask.params ?? {};
    if (!isObject(params))
      throw new InvalidResponseError(`${method} asks with params that are not an object.`);
    try {
      return await this.#asks.answer({ method: ask.method, params, ...origin });
    } catch (error) {
      if (error instanceof HostRefusal) throw error.given;
      if (!(error instanceof RpcError)) throw error;
      throw new InvalidResponseError(`${method} asks for ${ask.method}: ${error.message}`, { cause: error });
    }
  }
}
