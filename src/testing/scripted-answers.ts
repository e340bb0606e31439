import { AssertionError } from "node:assert";
import type { AskContext } from "../client/incoming/custom-request-handler.ts";
import type { ConnectOptions, RootList } from "../client/options.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ElicitRequest, ElicitResult } from "../protocol/model/elicitation.ts";
import type { SamplingRequest, SamplingResult } from "../protocol/model/sampling.ts";

/** An answer to a question to the user. A function is called with the question. */
export type ElicitAnswer =
  | "decline"
  | "cancel"
  | ElicitResult
  | ((ask: ElicitRequest, context: AskContext) => ElicitResult | Promise<ElicitResult>);

/** An answer of the model; a string is its text. A function is called with the request. */
export type SampleAnswer =
  | string
  | SamplingResult
  | ((
      ask: SamplingRequest,
      context: AskContext,
    ) => string | SamplingResult | Promise<string | SamplingResult>);

/** Answers in the order of the questions, or by the text of the question, each of which is used once. */
export type AnswerScript<Answer> = readonly Answer[] | { readonly [question: string]: Answer };

/**
 * Answers to the questions of a server. The client can be asked what is scripted here, and nothing else: a kind that
 * is absent is not declared as a capability.
 */
export interface TestAnswers {
  readonly elicit?: AnswerScript<ElicitAnswer> | undefined;
  /** By the text of the last message, where the answers have names. */
  readonly sample?: AnswerScript<SampleAnswer> | undefined;
  /** The roots, each time they are asked for. */
  readonly roots?: RootList | undefined;
}

/** The answer of a user who accepts a form with this content, or the visit of a URL. */
export function accept(content?: JsonObject): ElicitResult {
  return { action: "accept", ...(content && { content }) };
}

/** The scripted answers of one client, and the questions that it was asked. */
export class ScriptedAnswers {
  /** The capabilities of the client follow from these handlers. */
  readonly handlers: Pick<ConnectOptions, "elicit" | "sample" | "roots">;
  readonly #scripts: Script<unknown>[] = [];
  #unscripted: AssertionError | undefined;

  constructor({ elicit, sample, roots }: TestAnswers) {
    this.handlers = {
      ...(elicit && { elicit: this.#toElicit(elicit) }),
      ...(sample && { sample: this.#toSample(sample) }),
      ...(roots && { roots: this.#toRoots(roots) }),
    };
  }

  /** The error of the first question without an answer. */
  get unscripted(): AssertionError | undefined {
    return this.#unscripted;
  }

  /** Throws for answers that no question came for. */
  assertAllAsked(): void {
    const left = this.#scripts.flatMap((script) => script.left.map((what) => `  ${script.kind}: ${what}`));
    if (left.length === 0 || this.#unscripted) return;
    throw new AssertionError({
      message: `The server never asked for ${left.length} of the scripted answers:\n${left.join("\n")}`,
    });
  }

  #toElicit(answers: AnswerScript<ElicitAnswer>): NonNullable<ConnectOptions["elicit"]> {
    const script = this.#add("elicit", answers);
    return async (ask, context) => {
      const answer = this.#take(script, ask.message);
      if (typeof answer === "string") return { action: answer };
      return typeof answer === "function" ? answer(ask, context) : answer;
    };
  }

  #toSample(answers: AnswerScript<SampleAnswer>): NonNullable<ConnectOptions["sample"]> {
    const script = this.#add("sample", answers);
    return async (ask, context) => {
      const answer = this.#take(script, lastText(ask));
      return toSamplingResult(typeof answer === "function" ? await answer(ask, context) : answer);
    };
  }

  #toRoots(roots: RootList): () => RootList {
    const script = this.#add("roots", [roots]);
    return () => {
      script.clear();
      return roots;
    };
  }

  #add<Answer>(kind: string, answers: AnswerScript<Answer>): Script<Answer> {
    const script = new Script(kind, answers);
    this.#scripts.push(script);
    return script;
  }

  #take<Answer>(script: Script<Answer>, question: string): Answer {
    const answer = script.take(question);
    if (answer !== undefined) return answer;
    this.#unscripted ??= new AssertionError({
      message: `The server asked ${JSON.stringify(question)}, and answers.${script.kind} has no answer left for it${script.describeRest()}.`,
    });
    throw this.#unscripted;
  }
}

/** The answers of one kind that are not used yet. */
class Script<Answer> {
  readonly kind: string;
  readonly #inOrder: boolean;
  readonly #left: [question: string, answer: Answer][];

  constructor(kind: string, answers: AnswerScript<Answer>) {
    this.kind = kind;
    this.#inOrder = Array.isArray(answers);
    this.#left = Object.entries(answers);
  }

  get left(): string[] {
    return this.#left.map(([question, answer]) =>
      this.#inOrder ? showAnswer(answer) : JSON.stringify(question),
    );
  }

  take(question: string): Answer | undefined {
    const at = this.#inOrder ? 0 : this.#left.findIndex(([expected]) => expected === question);
    return at < 0 ? undefined : this.#left.splice(at, 1)[0]?.[1];
  }

  clear(): void {
    this.#left.length = 0;
  }

  describeRest(): string {
    return this.#left.length === 0 ? "" : `; there are answers to ${this.left.join(", ")}`;
  }
}

function showAnswer(answer: unknown): string {
  return typeof answer === "function" ? "a function" : (JSON.stringify(answer) ?? String(answer));
}

function lastText({ messages }: SamplingRequest): string {
  const content = messages.at(-1)?.content ?? [];
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => ("text" in block ? block.text : `[${block.type}]`)).join("\n");
}

function toSamplingResult(answer: string | SamplingResult): SamplingResult {
  if (typeof answer !== "string") return answer;
  return {
    role: "assistant",
    content: { type: "text", text: answer },
    model: "scripted",
    stopReason: "endTurn",
  };
}
