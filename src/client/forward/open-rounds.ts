import type { Call } from "../../contract/call.ts";
import { toOwner } from "../../contract/caller/principal.ts";
import { runLater } from "../../lib/async/timers.ts";
import { FairRoom } from "../../lib/bounded/fair-room.ts";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { randomToken } from "../../lib/encoding/random-token.ts";
import { LimitCode, limitReached } from "../../protocol/limit-error.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import type { HeldCall } from "./held-call.ts";

/** What a round left for the next one: a call that goes on, or the state that the server gave. */
export type OpenRound =
  | { readonly kind: "held"; readonly held: HeldCall }
  | { readonly kind: "state"; readonly requestState: unknown };

interface Entry {
  readonly owner: string;
  /** The request that began the call: no other may continue it. */
  readonly about: string;
  readonly round: OpenRound;
  readonly timer: ReturnType<typeof setTimeout>;
}

const maxOpen = 1_000;
/** The time after which a caller without room tries again. */
const retryMs = 5_000;
/** The time that a user has to answer. */
const answerMs = 600_000;

/** The rounds that callers have not continued yet. Another principal's is as unknown as one that never was. */
export class OpenRounds {
  readonly #entries = new Map<string, Entry>();
  readonly #room = new FairRoom(maxOpen);

  /** Keeps a round; returns the `requestState` that continues it, once. */
  keep(call: Call, round: OpenRound): string {
    const owner = toOwner(call.principal);
    if (!this.#room.take(1, owner)) {
      giveUp(round, "there is no room for it");
      throw limitReached(LimitCode.overloaded, "Too many calls wait for answers", retryMs);
    }
    const id = randomToken();
    const timer = runLater(() => {
      this.#drop(id);
      giveUp(round, "its caller did not come back with answers");
    }, answerMs);
    this.#entries.set(id, { owner, about: describeRequest(call), round, timer });
    return id;
  }

  /** Takes the round that a call continues; throws RpcError if there is none of its owner for the same request. */
  take(call: Call): OpenRound {
    const { requestState } = call.params;
    const id = typeof requestState === "string" ? requestState : "";
    const entry = this.#entries.get(id);
    if (entry?.owner !== toOwner(call.principal) || entry.about !== describeRequest(call))
      throw invalidParams("The requestState is unknown or too old; begin the call again.");
    this.#drop(id);
    return entry.round;
  }

  close(): void {
    for (const [id, { round }] of [...this.#entries]) {
      this.#drop(id);
      giveUp(round, "the bridge was closed");
    }
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(id);
    this.#room.giveBack(1, entry.owner);
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
