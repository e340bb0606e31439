import type { Call } from "../../peer/call.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { CallContext } from "../call-context.ts";
import type { Offer } from "../offer.ts";

/** One request with the server it is for. */
export interface Asked {
  readonly offer: Offer;
  readonly call: Call;
  readonly ctx: CallContext;
}

/** Answers one method, in the neutral model. */
export type Handler = (asked: Asked) => JsonObject | Promise<JsonObject>;
