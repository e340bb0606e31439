import { isObject, type JsonObject } from "../protocol/json.ts";
import type { InputRequired } from "../protocol/model/ask.ts";

/** The result by which a handler itself asks its client for another round. */
export function inputRequired(
  inputRequests: NonNullable<InputRequired["inputRequests"]>,
  requestState?: string,
): InputRequired {
  return { resultType: "input_required", inputRequests, ...(requestState !== undefined && { requestState }) };
}

export function isInputRequired(value: unknown): value is JsonObject {
  return isObject(value) && value.resultType === "input_required";
}
