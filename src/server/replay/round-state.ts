import { toOwner } from "../../contract/caller/principal.ts";
import { toShareKey } from "../../contract/caller/share-key.ts";
import { ReplayError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { targetOf } from "../../protocol/method.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import { type Binding, digestOf } from "../../seal/seal.ts";
import { SealError } from "../../seal/seal-error.ts";
import type { MethodCall } from "../methods/method-call.ts";
import type { OpenQuestions } from "./ask-strategy.ts";
import { emptyRecord, Journal, type JournalRecord } from "./journal.ts";
import { ReplayAskStrategy } from "./replay-ask-strategy.ts";
import { roundTtlMs, sealersOf, valuesFor } from "./server-sealers.ts";

/** The contents of `requestState`, which the client carries encrypted from one round to the next. */
interface Carried extends JsonObject {
  readonly journal?: JournalRecord;
  /** The state that a handler passed to `inputRequired`. */
  readonly text?: string;
  /** The unique id of this state, for `singleUse`. */
  readonly nonce: string;
}

/** The context options of a later round. */
export interface ResumedRound {
  readonly asking: ReplayAskStrategy;
  readonly requestState: string | undefined;
}

/** Makes the `input_required` result for open questions: basic/patterns/mrtr#inputrequiredresult (2026-07-28). */
export async function suspendRound(
  request: MethodCall,
  { inputRequests, record }: OpenQuestions,
): Promise<JsonObject> {
  const { maxRounds } = request.catalog.settings;
  if (record.rounds > maxRounds) {
    throw new ReplayError(
      "rounds",
      `The handler asked for more than ${maxRounds} rounds (${Object.keys(inputRequests).join(", ")}); ask more at once, or raise maxRounds.`,
    );
  }
  const requestState = await seal(request, { journal: record });
  return { resultType: "input_required", inputRequests, requestState };
}

/** Encrypts the `requestState` of a handler that returned `inputRequired` itself. */
export async function sealRequestState(request: MethodCall, result: JsonObject): Promise<JsonObject> {
  if (typeof result.requestState !== "string" || request.call.revision.asking !== "rounds") return result;
  return { ...result, requestState: await seal(request, { text: result.requestState }) };
}

/**
 * Decrypts the `requestState` of a later round. Throws, before the handler runs, if it is not for this call.
 *
 * basic/patterns/mrtr#server-requirements-basic-workflow (2026-07-28)
 */
export async function resumeRound(request: MethodCall, singleUse = false): Promise<ResumedRound> {
  const { call } = request;
  const { journal, text, nonce } = await open(request);
  if (singleUse) await spend(request, nonce);
  const responses = call.params.inputResponses;
  return {
    asking: new ReplayAskStrategy(new Journal(journal ?? emptyRecord, isObject(responses) ? responses : {})),
    requestState: text,
  };
}

async function seal(request: MethodCall, carried: Omit<Carried, "nonce">): Promise<string> {
  const { catalog, call } = request;
  const sealer = await sealersOf(catalog.settings).for(call, toShareKey(call));
  return sealer.seal({ ...carried, nonce: crypto.randomUUID() }, await bindingOf(request));
}

async function open(request: MethodCall): Promise<Carried> {
  const { catalog, call } = request;
  const { requestState } = call.params;
  if (typeof requestState !== "string") throw invalidParams("requestState must be a string.");
  const sealers = sealersOf(catalog.settings);
  const sealer = await sealers.for(call);
  try {
    return (await sealer.open(requestState, await bindingOf(request))) as Carried;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    if (error.reason === "unknown-key") await sealers.onForeignKey(call);
    throw invalidParams(`requestState can't be used: ${error.message}. Call again without it.`);
  }
}

async function spend({ catalog, call }: MethodCall, nonce: string): Promise<void> {
  const values = await valuesFor(catalog.settings, call);
  // Twice as long: a state that was sealed where the clock is fast is taken for longer elsewhere.
  if (await values.add(`spent ${nonce}`, "", 2 * roundTtlMs, toShareKey(call))) return;
  throw invalidParams("requestState can't be used: it has been used before. Call again without it.");
}

/** The binding of a state to its call. It includes the server and its mount path, because several servers may share secrets and tool names. */
async function bindingOf({ catalog, call }: MethodCall): Promise<Binding> {
  const { principal, method, params, path = [] } = call;
  const row = call.revision.methods.get(method);
  return {
    principal: toOwner(principal),
    method,
    target: JSON.stringify([...path, catalog.settings.info.name, targetOf(row, params)]),
    digest: await digestOf(params.arguments ?? {}),
  };
}
