import { assertString } from "../../contract/options.ts";
import { CapabilityError, UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { toSentence } from "../../protocol/check/check.ts";
import { neededCapability } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { type ClientCapabilities, missingOf } from "../../protocol/model/identity.ts";
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

/** Throws CapabilityError unless the client declared what each input request needs: basic/patterns/mrtr (2026-07-28). */
export function assertClientSupports(capabilities: ClientCapabilities, result: JsonObject): void {
  const requests = isObject(result.inputRequests) ? result.inputRequests : {};
  const needed = Object.values(requests).map((request) => capabilityFor(request, capabilities));
  const missing = missingOf(needed, capabilities);
  if (missing.length === 0) return;
  const keys = Object.keys(requests).filter((_, at) => missing.includes(needed[at] ?? ""));
  throw new CapabilityError([...new Set(missing)], "client", `Asking "${keys.join('", "')}"`);
}

function capabilityFor(request: unknown, capabilities: ClientCapabilities): string {
  const { method, params = {} } = isObject(request) ? request : {};
  const row = typeof method === "string" ? methods.get(method) : undefined;
  const given = isObject(params) ? params : {};
  const needed = row?.from === "server" && neededCapability(row, given, capabilities);
  if (!needed || row.kind !== "request")
    throw new UsageError(`A client can't be asked ${JSON.stringify(method)}.`);
  const problem = row.params(given);
  if (problem !== undefined)
    throw new UsageError(`A client can't be asked by ${method}: ${toSentence(problem)}`);
  return needed;
}
