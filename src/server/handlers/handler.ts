import type { Call } from "../../peer/call.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { CallContext } from "../call-context.ts";
import type { Offer } from "../offer.ts";
import type { OpenQuestions } from "../replay/asking.ts";
import type { JournalRecord } from "../replay/journal.ts";

/** One request with the server it is for. */
export interface Asked {
  readonly offer: Offer;
  readonly call: Call;
  readonly ctx: CallContext;
  /** What becomes of questions that a run left open; by default the client carries them to another round. */
  readonly suspend?: (open: OpenQuestions) => JsonObject;
  /** What becomes of a call whose handler goes on without its caller, where it may. */
  readonly detach?: (journal: JournalRecord | undefined) => Promise<JsonObject>;
}

/** Answers one method, in the neutral model. */
export type Handler = (asked: Asked) => JsonObject | Promise<JsonObject>;
