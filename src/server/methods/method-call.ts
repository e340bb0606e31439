import type { Call } from "../../contract/call.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Method } from "../../protocol/method.ts";
import type { Catalog } from "../catalog.ts";
import type { CallContext } from "../context/call-context.ts";
import type { OpenQuestions } from "../replay/ask-strategy.ts";
import type { JournalRecord } from "../replay/journal.ts";

/** One request with the server it is for. */
export interface MethodCall {
  readonly catalog: Catalog;
  readonly call: Call;
  readonly ctx: CallContext;
  /** What becomes of questions that a run left open; by default the client carries them to another round. */
  readonly suspend?: (open: OpenQuestions) => JsonObject;
  /** What becomes of a call whose handler goes on without its caller, where it may. */
  readonly detach?: (journal: JournalRecord | undefined) => Promise<JsonObject>;
}

/** Answers one method, whose row it is given, in the neutral model. */
export type MethodHandler = (request: MethodCall, row: Method) => JsonObject | Promise<JsonObject>;
