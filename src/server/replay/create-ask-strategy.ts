import type { Call } from "../../contract/call.ts";
import { isObject } from "../../lib/json.ts";
import type { AskStrategy } from "./ask-strategy.ts";
import { hasRounds } from "./has-rounds.ts";
import { emptyRecord, Journal } from "./journal.ts";
import { LiveAskStrategy } from "./live-ask-strategy.ts";
import { Replay } from "./replay.ts";

/** The way in which the first run of a handler asks. */
export function createAsking(call: Call): AskStrategy {
  if (call.revision.asking === "live" || !hasRounds(call.method)) return new LiveAskStrategy(call);
  const { inputResponses } = call.params;
  return new Replay(new Journal(emptyRecord, isObject(inputResponses) ? inputResponses : {}));
}
