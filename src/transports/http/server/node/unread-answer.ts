import type { IncomingMessage, ServerResponse } from "node:http";
import type { HolderSource } from "../../../../contract/caller/holder.ts";
import { toHolder } from "../../../../contract/caller/holder.ts";
import type { FairBudget } from "../../../../lib/bounded/fair-budget.ts";
import type { BodyLimits } from "../request/body-limits.ts";
import type { UnreadOutput } from "../request/unfinished-budget.ts";

interface Caller {
  readonly limits: BodyLimits;
  readonly source: HolderSource;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Notes whose answer the response to a request is. */
export function setCaller(message: IncomingMessage, limits: BodyLimits, source: HolderSource): void {
  callers.set(message, { limits, source });
}

/** The share that one answer takes of the room for answers that wait for their readers. */
export class UnreadAnswer implements UnreadOutput {
  readonly #response: ServerResponse;
  #budget: FairBudget<UnreadOutput> | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once("close", () => this.release());
  }

  /** Takes room for all bytes that wait now; without any, the connection is cut. */
  hold(): void {
    const caller = callers.get(this.#response.req);
    if (this.#budget) this.#weigh(this.#budget);
    else
      caller?.limits.unread.tryUse(
        (budget) => this.#add(budget, toHolder(caller.source)),
        () => this.giveUp(),
      );
  }

  release(): void {
    this.#budget?.remove(this);
    this.#budget = undefined;
  }

  /** An answer that waits for its turn on the connection is not destroyed before that: only its connection is. */
  giveUp(): void {
    this.#response.req.socket.destroy();
  }

  #add(budget: FairBudget<UnreadOutput>, holder: string): void {
    const { closed, destroyed, writableLength } = this.#response;
    if (closed || destroyed || writableLength === 0) return;
    this.#budget = budget;
    if (!budget.add(this, holder, writableLength)) this.#giveUpUnlessAlone(budget);
  }

  #weigh(budget: FairBudget<UnreadOutput>): void {
    if (!budget.resize(this, this.#response.writableLength)) this.#giveUpUnlessAlone(budget);
  }

  /** An answer that is larger than the whole room is sent while no other waits. */
  #giveUpUnlessAlone(budget: FairBudget<UnreadOutput>): void {
    this.release();
    if (budget.count > 0) this.giveUp();
  }
}
