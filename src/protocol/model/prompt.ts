import type { JsonObject } from "../../lib/json.ts";
import type { Role } from "./annotations.ts";
import type { ContentBlock } from "./content.ts";
import type { Icon } from "./identity.ts";

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

export interface GetPromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: JsonObject;
}

/** A prompt as a client receives it. */
export interface ReceivedPrompt extends GetPromptResult {
  readonly messages: PromptMessage[];
}
