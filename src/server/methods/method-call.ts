import type { Call } from "../../contract/call.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Method } from "../../protocol/method.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CallContext } from "../context/call-context.ts";
import type { OpenQuestions } from "../replay/ask-strategy.ts";
import type { JournalRecord } from "../replay/journal.ts";

/** One request, with the catalog that answers it and the context for its handler. */
export interface MethodCall {
  readonly catalog: Catalog;
  readonly call: Call;
  readonly ctx: CallContext;
  /** Makes the result for questions that a run left open. Default: the client takes them to another round. */
  readonly suspend?: (open: OpenQuestions) => JsonObject;
  /** Makes the result for a handler that called `detach`, where it may. */
  readonly detach?: (journal: JournalRecord | undefined) => Promise<JsonObject>;
}

/** Answers one method, whose row it is given, in the neutral model. */
export type MethodHandler = (request: MethodCall, row: Method) => JsonObject | Promise<JsonObject>;
