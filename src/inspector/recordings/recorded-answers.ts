import type { Transcript } from "allspeak/testing";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { mask } from "../../lib/text/mask-text.ts";
import type { KnownAnswers } from "../connections/asks.ts";
import type { Answer, QuestionBody } from "../messages/question.ts";

/** A question of the server as it was sent. */
interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * The answers of a recording to the questions of its server. Each is given once, and only to the same question: a yes
 * to one question is not a yes to another.
 */
export class RecordedAnswers implements KnownAnswers {
  readonly #byQuestion = new Map<string, Answer[]>();
  #given = 0;

  constructor(transcript: Transcript) {
    for (const [asked, answer] of answersOf(transcript)) this.#add(asked, answer);
  }

  /** The number of answers that were taken. */
  get given(): number {
    return this.#given;
  }

  take(question: QuestionBody): Answer | undefined {
    const answer = this.#byQuestion.get(keyOf(question))?.shift();
    if (answer) this.#given += 1;
    return answer;
  }

  #add(asked: Asked, response: JsonObject): void {
    const question = toQuestion(asked);
    const answer = toAnswer(asked.method, response);
    // A masked secret is not the answer that the person gave.
    if (!question || !answer || JSON.stringify(answer).includes(mask)) return;
    const key = keyOf(question);
    const known = this.#byQuestion.get(key);
    if (known) known.push(answer);
    else this.#byQuestion.set(key, [answer]);
  }
}

type Pair = readonly [asked: Asked, response: JsonObject];

/** The questions with their answers, in the order of the answers. */
function answersOf({ entries }: Transcript): readonly Pair[] {
  const open = new OpenQuestions();
  return entries.flatMap(({ from, message }) =>
    [message].flat().flatMap((one): readonly Pair[] => {
      if (!isObject(one)) return [];
      if (from === "client") return open.answer(one);
      open.ask(one);
      return [];
    }),
  );
}

/** Questions that have no answer yet: requests of the server, and questions in its results. */
class OpenQuestions {
  readonly #requests = new Map<unknown, Asked>();
  readonly #inResults = new Map<string, Asked>();

  ask({ id, method, params, result }: JsonObject): void {
    if (typeof method === "string" && id !== undefined)
      this.#requests.set(id, { method, params: isObject(params) ? params : {} });
    if (!isObject(result) || !isObject(result.inputRequests)) return;
    for (const [name, asked] of Object.entries(result.inputRequests))
      if (isObject(asked) && typeof asked.method === "string")
        this.#inResults.set(placeOf(name, result), {
          method: asked.method,
          params: isObject(asked.params) ? asked.params : {},
        });
  }

  answer({ id, method, params, result, error }: JsonObject): readonly Pair[] {
    if (method === undefined) {
      const asked = this.#requests.get(id);
      this.#requests.delete(id);
      return asked ? [[asked, isObject(result) ? result : { error }]] : [];
    }
    if (!isObject(params) || !isObject(params.inputResponses)) return [];
    return Object.entries(params.inputResponses).flatMap(([name, response]): readonly Pair[] => {
      const place = placeOf(name, params);
      const asked = this.#inResults.get(place);
      this.#inResults.delete(place);
      return asked && isObject(response) ? [[asked, response]] : [];
    });
  }
}

/** The call, or the task, that asks, with the name of the question in it. */
function placeOf(name: string, { requestState, taskId }: JsonObject): string {
  return JSON.stringify([name, taskId ?? requestState]);
}

interface QuestionKind {
  readonly question: (params: JsonObject) => unknown;
  readonly answer: (result: JsonObject) => unknown;
}

const kinds: ReadonlyMap<string, QuestionKind> = new Map([
  [
    "elicitation/create",
    {
      question: (ask) => ({ kind: ask.mode === "url" ? "url" : "form", ask }),
      answer: (result) => ({ kind: "form", result }),
    },
  ],
  [
    "sampling/createMessage",
    { question: (ask) => ({ kind: "sampling", ask }), answer: (result) => ({ kind: "sample", result }) },
  ],
  ["roots/list", { question: () => ({ kind: "roots" }), answer: ({ roots }) => ({ kind: "roots", roots }) }],
]);

function toQuestion({ method, params }: Asked): QuestionBody | undefined {
  return kinds.get(method)?.question(params) as QuestionBody | undefined;
}

function toAnswer(method: string, response: JsonObject): Answer | undefined {
  if (!("error" in response)) return kinds.get(method)?.answer(response) as Answer | undefined;
  const reason = isObject(response.error) ? response.error.message : undefined;
  return { kind: "refuse", ...(typeof reason === "string" && { reason }) };
}

/** The question without what differs from run to run, and from revision to revision. */
function keyOf(question: QuestionBody): string {
  switch (question.kind) {
    case "form": {
      const { message, requestedSchema } = question.ask;
      const fields = isObject(requestedSchema?.properties) ? Object.keys(requestedSchema.properties) : [];
      return canonicalJson(["form", message, fields.sort()]);
    }
    case "url":
      return canonicalJson(["url", question.ask.message, question.ask.url]);
    case "sampling": {
      const { systemPrompt = null, messages } = question.ask;
      const said = [messages].flat().map((message) => [message?.role, [message?.content].flat()]);
      return canonicalJson(["sampling", systemPrompt, said]);
    }
    default:
      return question.kind;
  }
}
