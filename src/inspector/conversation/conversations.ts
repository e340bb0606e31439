import type { Question } from "../messages/question.ts";
import { InspectorError } from "../session/failure.ts";
import { Conversation, type ConversationParts } from "./conversation.ts";

const maxConversations = 16;

/** The conversations of the session. */
export class Conversations {
  readonly #open = new Map<string, Conversation>();
  #count = 0;

  async open(
    parts: Omit<ConversationParts, "onStep">,
    onStep: (id: string, ...step: Parameters<ConversationParts["onStep"]>) => void,
  ): Promise<{ id: string; conversation: Conversation }> {
    if (this.#open.size >= maxConversations)
      throw new InspectorError("too-much", `At most ${maxConversations} conversations are open at a time.`);
    const id = `h${++this.#count}`;
    const conversation = await Conversation.open({ ...parts, onStep: (step) => onStep(id, step) });
    this.#open.set(id, conversation);
    return { id, conversation };
  }

  get(id: string): Conversation {
    const found = this.#open.get(id);
    if (found) return found;
    throw new InspectorError("not-found", "The conversation is not open.");
  }

  onQuestion(question: Question): void {
    for (const conversation of this.#open.values()) conversation.onQuestion(question);
  }

  async close(id: string): Promise<void> {
    const conversation = this.get(id);
    this.#open.delete(id);
    await conversation.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }
}
