import type { Call } from "../../contract/call.ts";
import { toOwner } from "../../contract/caller/principal.ts";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { LimitCode, limitReached } from "../../protocol/limit-error.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import type { HeldCall } from "./held-call.ts";
import { OwnedEntries } from "./owned-entries.ts";

/** The rest of a round, for the next one: a call that goes on, the state that the server gave, or visits that were asked for. */
export type OpenRound =
  | { readonly kind: "held"; readonly held: HeldCall }
  | { readonly kind: "state"; readonly requestState: unknown }
  | { readonly kind: "visits" };

interface KeptRound {
  /** The request that began the call: no other may continue it. */
  readonly about: string;
  readonly round: OpenRound;
}

const maxOpen = 1_000;
/** The time after which a caller without room tries again. */
const retryMs = 5_000;
/** The time that a user has to answer. */
const answerMs = 600_000;

/** The rounds that callers have not continued yet. */
export class OpenRounds {
  readonly #kept = new OwnedEntries<KeptRound>(maxOpen, ({ round }) =>
    giveUp(round, "its caller did not come back with answers"),
  );

  /** Keeps a round; returns the `requestState` that continues it, once. */
  keep(call: Call, round: OpenRound): string {
    const id = this.#kept.add(call, { about: describeRequest(call), round }, answerMs);
    if (id !== undefined) return id;
    giveUp(round, "there is no room for it");
    throw limitReached(LimitCode.overloaded, "Too many calls wait for answers", retryMs);
  }

  /** Takes the round that a call continues; throws RpcError if there is none of its owner for the same request. */
  take(call: Call): OpenRound {
    const { requestState } = call.params;
    const owner = toOwner(call.principal);
    if (this.#kept.get(owner, requestState)?.about === describeRequest(call)) {
      const kept = this.#kept.take(owner, requestState);
      if (kept) return kept.round;
    }
    throw invalidParams("The requestState is unknown or too old; begin the call again.");
  }

  close(): void {
    for (const { round } of this.#kept.clear()) giveUp(round, "the bridge was closed");
  }
}

/** The part of a request that stays the same in every round. */
function describeRequest({ method, params }: Call): string {
  const { name, uri, arguments: args } = params;
  return canonicalJson([method, name ?? uri, args ?? {}]);
}

function giveUp(round: OpenRound, why: string): void {
  if (round.kind === "held") round.held.giveUp(new Error(`The call was given up: ${why}.`));
}
