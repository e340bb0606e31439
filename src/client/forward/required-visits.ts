import type { Call } from "../../contract/call.ts";
import { expectElicitation } from "../../contract/server-event.ts";
import { RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { methods } from "../../protocol/method-table.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import { assertCanAnswer, toAskParams } from "./asker.ts";

/** A page that the user must visit before the server runs a call. */
interface RequiredVisit extends JsonObject {
  readonly message: string;
  readonly url: string;
  readonly elicitationId?: unknown;
}

/**
 * The pages that an error of a server names, if it is the one for that; else undefined. Only 2025-11-25 has this error.
 *
 * client/elicitation#url-elicitation-required-error (2025-11-25)
 */
export function readRequiredVisits(error: unknown): readonly RequiredVisit[] | undefined {
  if (!(error instanceof RpcError) || error.wireCode !== WireCode.urlElicitationRequired) return undefined;
  const { elicitations } = isObject(error.data) ? error.data : {};
  const visits = Array.isArray(elicitations) ? elicitations.filter(isVisit) : [];
  return visits.length > 0 ? visits : undefined;
}

/**
 * Answers a call whose user must visit pages first: with the error where the caller knows it, else with words. A caller
 * that knows the error is notified when a visit is over.
 */
export function answerWithVisits(call: Call, visits: readonly RequiredVisit[], error: unknown): JsonObject {
  const { session, revision, client } = call;
  if (revision.hasElicitationIds && hasCapability(client.capabilities, "elicitation.url")) {
    for (const { elicitationId } of visits)
      if (session && typeof elicitationId === "string") expectElicitation(session, elicitationId);
    throw error;
  }
  const pages = visits.map(({ message, url }) => `${message} ${url}`).join(" ");
  return refuse(call, `The user must visit a page before this call can run. ${pages}`);
}

/** The questions of a round that asks the user to visit pages, by their keys; throws if the caller can't show any. */
export function toVisitQuestions(call: Call, visits: readonly RequiredVisit[]): JsonObject {
  const method = "elicitation/create";
  return Object.fromEntries(
    visits.map(({ message, url }, index) => {
      const asked = { mode: "url", message, url };
      assertCanAnswer(call, method, asked);
      return [`visit${index + 1}`, { method, params: toAskParams(call, method, asked) }];
    }),
  );
}

/** Returns whether the user agreed to all visits that a round asked for. */
export function areVisitsAccepted({ params: { inputResponses } }: Call): boolean {
  const answers = isObject(inputResponses) ? Object.values(inputResponses) : [];
  return answers.length > 0 && answers.every((answer) => isObject(answer) && answer.action === "accept");
}

export function answerUnvisited(call: Call): JsonObject {
  return refuse(call, "The user did not agree to visit the page that this call needs.");
}

/** The words for the model, in the result of a tool; elsewhere an error. */
function refuse({ method }: Call, text: string): JsonObject {
  if (methods.get(method)?.runsTool) return { content: [{ type: "text", text }], isError: true };
  throw new RpcError(WireCode.internal, text);
}

function isVisit(value: unknown): value is RequiredVisit {
  return isObject(value) && typeof value.message === "string" && typeof value.url === "string";
}
