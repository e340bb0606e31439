import { RpcError } from "allspeak";
import type { AskContext, ConnectOptions } from "allspeak/client";
import type { ElicitRequest, ElicitResult } from "../../protocol/model/elicitation.ts";
import type { SamplingRequest, SamplingResult } from "../../protocol/model/sampling.ts";
import type { ConnectChoice } from "../messages/connection.ts";
import type { Answer, QuestionBody, ScriptedModel } from "../messages/question.ts";
import { RefusedError } from "../questions/questions.ts";
import { sampleOf } from "../questions/scripted-model.ts";

/**
 * The code of the specification for a person who rejects a sampling request.
 *
 * client/sampling#error-handling (2025-11-25)
 */
const rejected = -1;

/** Answers that need nobody to be asked. */
export interface KnownAnswers {
  take(question: QuestionBody): Answer | undefined;
}

export interface AskHandlerParts {
  readonly known?: KnownAnswers | undefined;
  ask(body: QuestionBody, signal: AbortSignal): Promise<Answer>;
  /** The scripted model as it is now. */
  model(): ScriptedModel;
  /** Aborted when the connection is given up. */
  readonly signal: AbortSignal;
}

type AskOptions = Pick<ConnectOptions, "elicit" | "sample" | "roots" | "capabilities" | "tasks">;

/** The handlers that pass the questions of a server to the person. What `without` names is not declared. */
export function createAsks({ without = [], roots }: ConnectChoice, parts: AskHandlerParts): AskOptions {
  const has = (capability: (typeof without)[number]) => !without.includes(capability);
  return {
    ...(has("elicitation") && { elicit: (ask, context) => elicit(ask, context, parts) }),
    ...(has("sampling") && {
      sample: (ask, context) => sample(ask, context, parts),
      capabilities: { sampling: { tools: {} } },
    }),
    ...(has("roots") && { roots: roots ? [...roots] : () => askRoots(parts) }),
    ...(has("tasks") && { tasks: true }),
  };
}

async function elicit(
  ask: ElicitRequest,
  { signal }: AskContext,
  parts: AskHandlerParts,
): Promise<ElicitResult> {
  const body: QuestionBody = ask.mode === "url" ? { kind: "url", ask } : { kind: "form", ask };
  try {
    const answer = await answerTo(body, signal, parts);
    return answer.kind === "form" ? answer.result : { action: "cancel" };
  } catch (error) {
    if (error instanceof RefusedError) return { action: "decline" };
    throw error;
  }
}

async function sample(
  ask: SamplingRequest,
  { signal }: AskContext,
  parts: AskHandlerParts,
): Promise<SamplingResult> {
  const answer = await refusable(() => answerTo({ kind: "sampling", ask }, signal, parts));
  if (answer.kind === "sample") return answer.result;
  throw new RpcError(rejected, "The person did not answer.");
}

async function askRoots(parts: AskHandlerParts) {
  const answer = await refusable(() => answerTo({ kind: "roots" }, parts.signal, parts));
  return answer.kind === "roots" ? answer.roots : [];
}

/** The answer that is known, else that of a model that answers by itself, else that of the person. */
async function answerTo(body: QuestionBody, signal: AbortSignal, parts: AskHandlerParts): Promise<Answer> {
  const answer =
    parts.known?.take(body) ?? scriptedAnswer(body, parts.model()) ?? (await parts.ask(body, signal));
  if (answer.kind === "refuse") throw new RefusedError(answer.reason);
  return answer;
}

function scriptedAnswer(body: QuestionBody, model: ScriptedModel): Answer | undefined {
  if (body.kind !== "sampling" || model.sampling !== "automatic") return undefined;
  return { kind: "sample", result: sampleOf(model, body.ask).result };
}

/** A refusal of the person is an error that the server gets. */
async function refusable(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RefusedError) throw new RpcError(rejected, error.message);
    throw error;
  }
}
