import { isObject } from "../../lib/json.ts";
import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import type { QuestionRequests, ScriptedModel, ScriptedRule } from "../messages/question.ts";
import { InspectorError } from "../session/failure.ts";
import type { Handlers } from "../session/handler.ts";
import { sampleOf } from "./scripted-model.ts";

export const questionHandlers: Handlers<keyof QuestionRequests> = {
  answer({ question, answer }, { session }) {
    session.questions.answer(question, answer);
    return {};
  },

  "suggest-sample"({ question }, { session }) {
    const found = session.questions.find(question);
    if (found.kind !== "sampling")
      throw new InspectorError("invalid-request", "Only a sampling question has a suggestion.");
    return sampleOf(session.model, found.ask);
  },

  "set-model"({ model }, { session }) {
    assertModel(model);
    session.model = model;
    return {};
  },
};

const modelKinds: OptionKinds<ScriptedModel> = {
  name: "string",
  sampling: ["ask", "automatic"],
  rules: "array",
  otherwise: "string",
};
const ruleKinds: OptionKinds<ScriptedRule> = { when: "string", reply: "string", call: "object" };
const maxRules = 200;

function assertModel(model: ScriptedModel): void {
  const isWhole = Object.keys(modelKinds).every((name) => Object.hasOwn(model, name));
  const problem =
    findOptionProblem("set-model", model, modelKinds) ??
    (isWhole ? undefined : `A model needs ${Object.keys(modelKinds).join(", ")}.`) ??
    (model.rules.length > maxRules ? `A model has at most ${maxRules} rules.` : undefined) ??
    model.rules.map((rule) => findRuleProblem(rule)).find((found) => found !== undefined);
  if (problem !== undefined) throw new InspectorError("invalid-request", problem);
}

function findRuleProblem(rule: ScriptedRule): string | undefined {
  const problem = findOptionProblem("A rule of the model", rule, ruleKinds);
  if (problem !== undefined) return problem;
  if (typeof rule.when !== "string") return 'A rule of the model needs "when".';
  const { call } = rule;
  if (call === undefined) return undefined;
  const isCall = typeof call.tool === "string" && isObject(call.arguments);
  return isCall ? undefined : "A rule calls a tool by its name, with arguments.";
}
