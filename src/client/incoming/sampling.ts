import { UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { encodeAnswer } from "../../protocol/ask/ask.ts";
import { checkString, members, oneOf, toSentence } from "../../protocol/check/check.ts";
import { checkContent } from "../../protocol/check/model-check.ts";
import { samplesWithTools, toBlocks } from "../../protocol/check/sampling-rules.ts";
import { findToolViolation } from "../../protocol/check/tool-results.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import type { SamplingContent, SamplingRequest } from "../../protocol/model/sampling.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidParams } from "../../protocol/wire-error.ts";

/** Asks the host's model; `toAnswer` checks its answer, and throws if it is wrong. */
type AskModel = (ask: SamplingRequest, toAnswer: (given: unknown) => JsonObject) => Promise<JsonObject>;

/** Puts a sampling request to the host's model, and checks that the revision can carry the answer. */
export async function answerSampling(
  params: JsonObject,
  revision: Revision,
  capabilities: ClientCapabilities,
  askModel: AskModel,
): Promise<JsonObject> {
  if (samplesWithTools(params) && !hasCapability(capabilities, "sampling.tools"))
    throw invalidParams("This client does not sample with tools.");
  const violation = findToolViolation(params.messages as readonly unknown[]);
  if (violation !== undefined) throw invalidParams(violation);
  const { includeContext, ...others } = params;
  const mayInclude = !revision.sampling.gatesContext || hasCapability(capabilities, "sampling.context");
  const ask = mayInclude ? params : others;
  return askModel(ask as unknown as SamplingRequest, (given) => toAnswer(given, revision));
}

const checkAnswer = members({ role: oneOf("user", "assistant"), model: checkString });

function toAnswer(given: unknown, revision: Revision): JsonObject {
  if (!isObject(given)) throw new UsageError("the answer must be a message: role, content and model.");
  const problem = checkAnswer(given) ?? findBadBlock(given);
  if (problem !== undefined)
    throw new UsageError(
      `the answer must be a message: role, content and model. In this one, ${toSentence(problem)}`,
    );
  const { version, sampling } = revision;
  const newer = toBlocks(given).find((block) => !sampling.kinds.has((block as SamplingContent).type));
  if (newer !== undefined)
    throw new UsageError(`${(newer as SamplingContent).type} content does not exist in revision ${version}.`);
  const answer = encodeAnswer(revision, "sampling/createMessage", given);
  if (sampling.blocks === "one" && Array.isArray(answer.content))
    throw new UsageError(
      `an answer has one block of content in revision ${version}; several texts are joined.`,
    );
  return answer;
}

function findBadBlock(message: JsonObject): string | undefined {
  for (const block of toBlocks(message)) {
    const problem = checkContent(block);
    if (problem !== undefined) return `.content${problem}`;
  }
  return undefined;
}
