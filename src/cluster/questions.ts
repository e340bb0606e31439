import type { JsonObject } from "../lib/json.ts";
import type { AnyResponse } from "../protocol/message.ts";
import type { State } from "../state/state.ts";
import { type Inbox, maxNoteChars, noteTtlMs } from "./inbox.ts";
import { nodeOf } from "./node-id.ts";

/** The session that a message came in, and its owner. */
export interface MessageSource {
  readonly session: string;
  readonly owner: string;
}

/** An answer, and the caller in whose share of the store it counts. */
interface GivenAnswer {
  readonly message: AnyResponse;
  readonly holder: string | undefined;
}

/** An answer of a client that came to another node than the one that asked. */
export interface PassedAnswer extends MessageSource {
  readonly message: AnyResponse;
}

/** The longest time that a client has to answer. */
const questionTtlMs = 24 * 3_600_000;

/** The node that asks. */
interface AskingNode {
  readonly id: string;
  readonly state: State;
  readonly inbox: Inbox;
  nextId(separator: "."): string;
}

/** The questions of this node that are open, and the answers to those of others. */
export class NodeQuestions {
  readonly #node: AskingNode;

  constructor(node: AskingNode) {
    this.#node = node;
  }

  /** Notes that a session is asked, so that any node takes the answer. Returns the id of the question. */
  async open(session: string): Promise<string> {
    const id = this.#node.nextId(".");
    await this.#node.state.values.put(toQuestionKey(id), session, questionTtlMs);
    return id;
  }

  /** Takes no more answers. */
  close(id: string): void {
    const { values } = this.#node.state;
    // A value that was not removed expires.
    void Promise.allSettled([values.remove(toQuestionKey(id)), values.remove(toAnswerKey(id))]);
  }

  /**
   * Passes an answer on to the node that has asked. Only the first answer to an open question of the session counts.
   *
   * Rejects with `OverloadedError` where the caller has no room left in the store.
   */
  async passAnswer(source: MessageSource, { message, holder }: GivenAnswer): Promise<void> {
    const { values } = this.#node.state;
    const { id } = message;
    const node = nodeOf(id);
    if (node === undefined || node === this.#node.id || typeof id !== "string") return;
    if (!(await this.#isOpen(id, source))) return;
    const answer: PassedAnswer = { ...source, message };
    await values.add(toAnswerKey(id), JSON.stringify(answer), noteTtlMs, holder);
    // Sent also where there was an answer: the note of the first may have been lost.
    await this.#node.inbox.send(node, { type: "answer", session: source.session, question: id });
  }

  /** Passes progress on to the node that has asked. */
  async passProgress(source: MessageSource, params: JsonObject): Promise<void> {
    const { progressToken: id } = params;
    const node = nodeOf(id);
    if (node === undefined || node === this.#node.id || typeof id !== "string") return;
    if (JSON.stringify(params).length > maxNoteChars || !(await this.#isOpen(id, source))) return;
    await this.#node.inbox.send(node, { type: "progress", ...source, params });
  }

  /** The answer that was passed on to this node; undefined when it came before. */
  async takeAnswer(id: string): Promise<PassedAnswer | undefined> {
    const text = await this.#node.state.values.get(toAnswerKey(id));
    return text === undefined ? undefined : (JSON.parse(text) as PassedAnswer);
  }

  async #isOpen(id: string, { session }: MessageSource): Promise<boolean> {
    return (await this.#node.state.values.get(toQuestionKey(id))) === session;
  }
}

function toQuestionKey(id: string): string {
  return `question/${id}`;
}

function toAnswerKey(id: string): string {
  return `answer/${id}`;
}
