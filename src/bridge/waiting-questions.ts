import { type Asker, assertAskable, toAskHandlers } from "../client/forward/asker.ts";
import type { AskHandlers } from "../client/incoming/ask.ts";
import { toCancelled } from "../contract/cancelled-error.ts";
import type { RpcError } from "../errors.ts";
import { runLater } from "../lib/async/timers.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import { nextTurn } from "../lib/async/yield-turn.ts";
import type { JsonObject } from "../lib/json.ts";
import { invalidRequest } from "../protocol/wire-error.ts";

/** The one that a question is for: a session by its id, or one call. */
export type AskedClient = object | string;

interface Question {
  readonly client: AskedClient;
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal | undefined;
  readonly answer: (answer: JsonObject) => void;
  readonly refuse: (reason: unknown) => void;
}

/** Questions that wait at a time; a server that asks more is refused. */
const maxWaiting = 10;
/** The time that a question waits for a call of its client. */
const questionMs = 60_000;
/** The time that a call waits for the answers to questions that came before it. */
const answerMs = 2_000;

/**
 * Questions that a server asks while no call runs that they could belong to, such as for roots that have changed. They
 * go to the client with a request of it that runs, or else with its next one.
 */
export class WaitingQuestions {
  readonly #clientNow: () => AskedClient | undefined;
  /** With the functions that end their waiting. */
  readonly #waiting = new Map<Question, () => void>();
  readonly #askers = new Map<Asker, AskedClient>();

  /** `clientNow` returns the one that a question is for, if it is clear who that is. */
  constructor(clientNow: () => AskedClient | undefined) {
    this.#clientNow = clientNow;
  }

  /** The handlers of the connection for questions that belong to no call. */
  get handlers(): AskHandlers {
    return toAskHandlers({ ask: (method, params, signal) => this.#ask(method, params, signal) });
  }

  /** Lets questions go to a client with one of its requests, until the returned function is called. */
  attach(asker: Asker, client: AskedClient): () => void {
    this.#askers.set(asker, client);
    return () => void this.#askers.delete(asker);
  }

  /**
   * Puts the questions that wait for the client of an asker to it. Settles when `sent` does after the answers, or after
   * a short time.
   */
  async put(asker: Asker, sent: () => Promise<void>): Promise<void> {
    const client = this.#askers.get(asker);
    const own = [...this.#waiting.keys()].filter((question) => question.client === client);
    if (own.length > 0) await waitAtMost(answerMs, this.#putAll(own, asker, sent), () => {});
  }

  async #putAll(questions: readonly Question[], asker: Asker, sent: () => Promise<void>): Promise<void> {
    await Promise.all(questions.map((question) => this.#put(question, asker)));
    // The connection writes an answer within the turn in which it is given.
    await nextTurn();
    await sent();
  }

  /** Refuses the questions that wait for a client that does not come back. */
  refuse(client: AskedClient): void {
    for (const question of [...this.#waiting.keys()])
      if (question.client === client && this.#take(question)) question.refuse(unanswered());
  }

  #ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    const client = this.#clientNow();
    if (client === undefined || this.#waiting.size >= maxWaiting) throw unanswered();
    return new Promise((answer, refuse) => {
      const question = { client, method, params, signal, answer, refuse };
      this.#keep(question);
      const asker = this.#askerFor(client);
      if (asker) void this.#put(question, asker);
    });
  }

  #askerFor(client: AskedClient): Asker | undefined {
    for (const [asker, its] of this.#askers) if (its === client) return asker;
    return undefined;
  }

  /** Keeps a question until it is put to somebody, its time is over, or the server takes it back. */
  #keep(question: Question): void {
    const { method, signal, refuse } = question;
    const end = (reason: unknown) => this.#take(question) && refuse(reason);
    const onAbort = () => end(toCancelled(method, signal?.reason));
    const timer = runLater(() => end(unanswered()), questionMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#waiting.set(question, () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    });
  }

  /** Takes a question that waits; returns false if it does not wait any more. */
  #take(question: Question): boolean {
    this.#waiting.get(question)?.();
    return this.#waiting.delete(question);
  }

  async #put(question: Question, asker: Asker): Promise<void> {
    if (!this.#take(question)) return;
    const { client, method, params, signal, answer, refuse } = question;
    try {
      assertAskable(asker.call, method, params);
      answer(await asker.ask(method, params, signal));
    } catch (error) {
      const hasLeft = asker.call.signal.aborted || !this.#askers.has(asker);
      // A caller without a session does not come back.
      const mayComeBack = hasLeft && typeof client === "string";
      if (mayComeBack && signal?.aborted !== true) this.#keep(question);
      else refuse(error);
    }
  }
}

function unanswered(): RpcError {
  return invalidRequest("Nobody can answer this question: it belongs to no call.");
}
