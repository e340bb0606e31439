// The columns of the method table that only the questions of a server fill. They are loaded with the first question:
// most servers never ask, and most clients are never asked.
import type { JsonObject } from "../../lib/json.ts";
import { samplesWithTools } from "../check/sampling-rules.ts";
import type { Encode, Method } from "../method.ts";
import { hasCapability } from "../model/identity.ts";
import type { AskMethod } from "../model/input-required.ts";
import type { Revision } from "../revision.ts";
import { encodeElicitation, encodeSampling, encodeSamplingResult } from "./encode.ts";

interface AskColumns {
  /** The narrower capability that these params need, such as `sampling.tools`. */
  readonly refine?: (params: JsonObject, declared: JsonObject) => string;
  readonly params?: Encode;
  readonly result?: Encode;
}

const columns: Readonly<Record<AskMethod, AskColumns>> = {
  "sampling/createMessage": {
    refine: (params) => (samplesWithTools(params) ? "sampling.tools" : "sampling"),
    params: encodeSampling,
    result: encodeSamplingResult,
  },
  "elicitation/create": { refine: elicitationCapability, params: encodeElicitation },
  "roots/list": {},
};

/** A client that declares elicitation and names no mode means forms. */
function elicitationCapability({ mode }: JsonObject, declared: JsonObject): string {
  if (mode === "url") return "elicitation.url";
  return hasCapability(declared, "elicitation.url") ? "elicitation.form" : "elicitation";
}

/** The capability that a request with these params needs; undefined when it needs none. */
export function neededCapability(row: Method, params: JsonObject, declared: JsonObject): string | undefined {
  return columnsOf(row.name).refine?.(params, declared) ?? row.needs?.capability;
}

/** The params of a question in the form of a revision. */
export function encodeAsk({ rules }: Revision, method: string, params: JsonObject): JsonObject {
  return columnsOf(method).params?.(rules, params) ?? params;
}

/** The answer to a question in the form of a revision. */
export function encodeAnswer({ rules }: Revision, method: string, answer: JsonObject): JsonObject {
  return columnsOf(method).result?.(rules, answer) ?? answer;
}

function columnsOf(method: string): AskColumns {
  return Object.hasOwn(columns, method) ? columns[method as AskMethod] : {};
}
