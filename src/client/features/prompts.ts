import { checkPrompt, checkPromptMessage } from "../../protocol/check/model-check.ts";
import { withSafeIcons } from "../../protocol/check/safe-icons.ts";
import type { Prompt, PromptMessage, ReceivedPrompt } from "../../protocol/model/prompt.ts";
import type { CallOptions } from "../requests.ts";
import { type FeatureParts, nameError } from "./feature-parts.ts";
import { type Listing, type ListOptions, PagedList } from "./paged-list.ts";

/** The prompts of one server: what it lists, and their messages. */
export class UntypedPrompts {
  readonly #parts: FeatureParts;
  readonly #list: PagedList<Prompt>;

  constructor(parts: FeatureParts) {
    this.#parts = parts;
    this.#list = new PagedList(parts, {
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
    options: CallOptions = {},
  ): Promise<ReceivedPrompt> {
    if (typeof name !== "string") throw await nameError("prompts.get", name);
    const { requests, rounds, validItems } = this.#parts;
    const call = requests.toCall("prompts/get", { name, arguments: args }, options);
    const { result } = await rounds.send(call);
    const messages = validItems.pick<PromptMessage>(
      result.messages,
      checkPromptMessage,
      "prompts/get: messages",
    );
    const shown = messages.map((message) => ({ ...message, content: withSafeIcons(message.content) }));
    return { ...result, messages: shown } as ReceivedPrompt;
  }
}
