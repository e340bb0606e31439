import { assertString } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import type { InputRequired } from "../../protocol/model/input-required.ts";

/** Makes the result by which a handler itself asks its client for another round. */
export function inputRequired(
  inputRequests: NonNullable<InputRequired["inputRequests"]>,
  requestState?: string,
): InputRequired {
  if (!isObject(inputRequests))
    throw new UsageError(
      `inputRequired takes the questions by name, such as { color: { method: "elicitation/create", params } }, not ${describeValue(inputRequests)}.`,
    );
  if (requestState !== undefined) assertString("The state of inputRequired", requestState);
  return { resultType: "input_required", inputRequests, ...(requestState !== undefined && { requestState }) };
}

export function isInputRequired(value: unknown): value is JsonObject {
  return isObject(value) && value.resultType === "input_required";
}
