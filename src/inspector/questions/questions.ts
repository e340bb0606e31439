import { runLater } from "../../lib/async/timers.ts";
import type { Answer, Question, QuestionBody, QuestionEvents } from "../messages/question.ts";
import { InspectorError } from "../session/failure.ts";

type CloseReason = QuestionEvents["question-closed"]["reason"];

/** The kinds of answer that each kind of question takes, beside a refusal. */
const answerKinds: Readonly<Record<QuestionBody["kind"], Answer["kind"]>> = {
  form: "form",
  url: "form",
  sampling: "sample",
  roots: "roots",
  run: "decide",
  login: "decide",
  input: "input",
};

const maxOpen = 100;
const expiryMs = 30 * 60_000;

interface OpenQuestion {
  readonly question: Question;
  settle(outcome: Answer | Error, reason: CloseReason): void;
}

export interface QuestionListener {
  onQuestion(question: Question): void;
  onClosed(question: string, reason: CloseReason): void;
}

/** The person refused to answer. */
export class RefusedError extends InspectorError {
  constructor(reason: string | undefined) {
    super("declined", reason === undefined || reason === "" ? "The person refused." : reason);
  }
}

/** The questions that wait for the person. */
export class Questions {
  readonly #listener: QuestionListener;
  readonly #open = new Map<string, OpenQuestion>();
  #count = 0;

  constructor(listener: QuestionListener) {
    this.#listener = listener;
  }

  get open(): readonly Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Asks the person; rejects with a RefusedError if they refuse, and if nobody wants to know any more. */
  ask(connection: string, body: QuestionBody, signal: AbortSignal, seq?: number): Promise<Answer> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#open.size >= maxOpen)
      return Promise.reject(new InspectorError("too-much", `At most ${maxOpen} questions wait at a time.`));
    const id = `q${++this.#count}`;
    const question = {
      id,
      connection,
      askedAt: Date.now(),
      ...(seq !== undefined && { seq }),
      ...body,
    };
    return new Promise((resolve, reject) => {
      const onAbort = () =>
        settle(new InspectorError("cancelled", "The question was taken back."), "cancelled");
      const timer = runLater(
        () => settle(new InspectorError("cancelled", "Nobody answered in time."), "expired"),
        expiryMs,
      );
      const settle = (outcome: Answer | Error, reason: CloseReason): void => {
        if (!this.#open.delete(id)) return;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#listener.onClosed(id, reason);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#open.set(id, { question, settle });
      this.#listener.onQuestion(question);
    });
  }

  find(id: string): Question {
    return this.#find(id).question;
  }

  answer(id: string, answer: Answer): void {
    const { question, settle } = this.#find(id);
    if (answer.kind === "refuse") return settle(new RefusedError(answer.reason), "answered");
    const wanted = answerKinds[question.kind];
    if (answer.kind !== wanted)
      throw new InspectorError(
        "invalid-request",
        `A question of the kind ${question.kind} takes an answer of the kind ${wanted}.`,
      );
    settle(answer, "answered");
  }

  #find(id: string): OpenQuestion {
    const found = this.#open.get(id);
    if (found) return found;
    throw new InspectorError("not-found", "The question is not open: it was answered, or taken back.");
  }
}
