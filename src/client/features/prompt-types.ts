import type { HasPromptTypes, PromptTypes } from "../../contract/server-types.ts";
import type { Prompt, ReceivedPrompt } from "../../protocol/model/prompt.ts";
import type { CallOptions } from "../requests.ts";
import type { Listing, ListOptions } from "./paged-list.ts";

/** The prompts of a server that the compiler knows nothing of. */
export interface AnyPrompts {
  readonly [name: string]: { readonly [argument: string]: string | undefined };
}

/** The prompts of a server value's type, for `connect<typeof server>`. */
export type PromptsOf<Server> =
  Server extends HasPromptTypes<infer Prompts extends PromptTypes> ? Prompts : AnyPrompts;

/** The parameters after the name, by the name of the prompt: arguments may be left out where none are required. */
export type Gets<Prompts extends PromptTypes> = {
  readonly [Name in keyof Prompts]: Record<never, never> extends Prompts[Name]
    ? [args?: Prompts[Name], options?: CallOptions]
    : [args: Prompts[Name], options?: CallOptions];
};

interface AnyGets {
  readonly [name: string]: readonly unknown[];
}

/** The prompts of one server. */
export interface ClientPrompts<Own = Gets<AnyPrompts>> {
  /** Exists only for the compiler. */
  readonly "~gets"?: Own;

  list(options?: ListOptions): Listing<Prompt>;
  // As for tools, the types come in through `this`.
  get<All extends AnyGets, Name extends keyof All & string>(
    this: ClientPrompts<All>,
    name: Name,
    ...rest: All[Name]
  ): Promise<ReceivedPrompt>;
}
