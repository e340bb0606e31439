import { CapabilityError, UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { neededCapability } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import type { InputRequired } from "../../protocol/model/input-required.ts";

/** Makes the result by which a handler itself asks its client for another round. */
export function inputRequired(
  inputRequests: NonNullable<InputRequired["inputRequests"]>,
  requestState?: string,
): InputRequired {
  return { resultType: "input_required", inputRequests, ...(requestState !== undefined && { requestState }) };
}

export function isInputRequired(value: unknown): value is JsonObject {
  return isObject(value) && value.resultType === "input_required";
}

/** Throws CapabilityError unless the client declared what each input request needs: basic/patterns/mrtr (2026-07-28). */
export function assertClientSupports(capabilities: ClientCapabilities, result: JsonObject): void {
  const requests = isObject(result.inputRequests) ? result.inputRequests : {};
  for (const [key, request] of Object.entries(requests)) {
    const needed = capabilityFor(request, capabilities);
    if (!hasCapability(capabilities, needed)) throw new CapabilityError(needed, "client", `Asking "${key}"`);
  }
}

function capabilityFor(request: unknown, capabilities: ClientCapabilities): string {
  const { method, params } = isObject(request) ? request : {};
  const row = typeof method === "string" ? methods.get(method) : undefined;
  const needed =
    row?.from === "server" && neededCapability(row, isObject(params) ? params : {}, capabilities);
  if (needed && row.kind === "request") return needed;
  throw new UsageError(`A client can't be asked ${JSON.stringify(method)}.`);
}
