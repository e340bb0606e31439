import type { Call } from "../../contract/call.ts";
import { CapabilityError, NotInRevisionError, UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { neededCapability } from "../../protocol/ask/ask.ts";
import { toSentence } from "../../protocol/check/check.ts";
import type { Method } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { type ClientCapabilities, missingOf } from "../../protocol/model/identity.ts";

/**
 * Throws unless the revision has rounds and the client declared what an `input_required` result asks it for.
 *
 * basic/patterns/mrtr#supported-requests (2026-07-28)
 */
export function assertMayAsk(row: Method, call: Call, result: JsonObject): void {
  if (call.revision.asking !== "rounds" || !row.rounds) {
    throw new NotInRevisionError("A result that asks for another round", call.revision.version);
  }
  assertClientSupports(call.client.capabilities, result);
}

/**
 * Throws CapabilityError unless the client declared what each input request needs.
 *
 * basic/patterns/mrtr#server-requirements-basic-workflow (2026-07-28)
 */
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
    throw new UsageError(
      `${JSON.stringify(method)} is not a question for a client; use elicitation/create, sampling/createMessage or roots/list.`,
    );
  const problem = row.params(given);
  if (problem !== undefined)
    throw new UsageError(`A client can't be asked by ${method}: ${toSentence(problem)}`);
  return needed;
}
