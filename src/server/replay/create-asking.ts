import type { Call } from "../../peer/call.ts";
import { isObject } from "../../protocol/json.ts";
import type { Asking } from "./asking.ts";
import { hasRounds } from "./has-rounds.ts";
import { emptyRecord, Journal } from "./journal.ts";
import { LiveAsking } from "./live-asking.ts";
import { Replay } from "./replay.ts";

/** The way in which the first run of a handler asks. */
export function createAsking(call: Call): Asking {
  if (call.revision.asking === "live" || !hasRounds(call.method)) return new LiveAsking(call);
  const { inputResponses } = call.params;
  return new Replay(new Journal(emptyRecord, isObject(inputResponses) ? inputResponses : {}));
}
