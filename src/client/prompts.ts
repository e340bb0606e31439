import { checkPrompt, checkPromptMessage } from "../protocol/item-check.ts";
import type { GetPromptResult, Prompt } from "../protocol/model/prompt.ts";
import type { Exchange } from "./exchange.ts";
import { List, type Listing, type ListOptions } from "./lists.ts";
import type { CallOptions } from "./requests.ts";

/** The prompts of one server. */
export class ClientPrompts {
  readonly #exchange: Exchange;
  readonly #list: List<Prompt>;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#list = new List(exchange, {
      method: "prompts/list",
      key: "prompts",
      check: checkPrompt,
      changedBy: "prompts",
    });
  }

  list(options?: ListOptions): Listing<Prompt> {
    return this.#list.list(options);
  }

  async get(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    const { rounds, salvage } = this.#exchange;
    const { result } = await rounds.send("prompts/get", { name, arguments: args }, options);
    const messages = salvage.items(result.messages, checkPromptMessage, "prompts/get: messages");
    return { ...result, messages } as GetPromptResult;
  }
}
