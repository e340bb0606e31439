import { isObject, type JsonObject } from "../../lib/json.ts";
import { samplesWithTools } from "../check/sampling-rules.ts";
import type { Revision } from "../revision.ts";

type AskRules = Pick<Revision, "elicitationModes" | "multipleChoice" | "sampling">;

/** The feature of a question that a revision lacks; undefined if it has all, or lacks the question itself. */
export function missingAskFeature(rules: AskRules, method: string, params: JsonObject): string | undefined {
  if (method === "sampling/createMessage")
    return samplesWithTools(params) && !rules.sampling.kinds.has("tool_use")
      ? "Sampling with tools"
      : undefined;
  if (method !== "elicitation/create") return undefined;
  if (params.mode === "url")
    return rules.elicitationModes.has("url") ? undefined : "Asking the user to visit a URL";
  const lacksSeveral = rules.elicitationModes.has("form") && !rules.multipleChoice;
  return lacksSeveral && offersSeveral(params.requestedSchema)
    ? "Asking the user to choose several"
    : undefined;
}

function offersSeveral(schema: unknown): boolean {
  const properties = isObject(schema) ? schema.properties : undefined;
  const fields = isObject(properties) ? Object.values(properties) : [];
  return fields.some((field) => isObject(field) && field.type === "array");
}
