import { type HolderSource, toHolder } from "../../../../contract/caller/holder.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { OnDemand } from "../../../../lib/async/on-demand.ts";
import type { FairBudget } from "../../../../lib/bounded/fair-budget.ts";
import { decodeUtf8 } from "../../../../lib/encoding/utf8.ts";
import { createWaitDeadline, type WaitDeadline } from "../shared-deadline.ts";
import type { UnfinishedInput, UnreadOutput } from "./unfinished-budget.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyMs: number;
  /** Expires after `bodyMs`. */
  readonly bodyDeadline: WaitDeadline;
  /** The room for input that has begun to arrive. Loaded with the first body that does not come whole: most do. */
  readonly unfinished: OnDemand<FairBudget<UnfinishedInput>>;
  /** The room for answers that wait for their readers. Loaded with the first that is not taken at once. */
  readonly unread: OnDemand<FairBudget<UnreadOutput>>;
}

interface BodySettings extends Pick<BodyLimits, "maxBodyBytes" | "bodyMs"> {
  readonly maxUnfinishedBytes: number;
}

export function toBodyLimits({ maxBodyBytes, bodyMs, maxUnfinishedBytes: bytes }: BodySettings): BodyLimits {
  return {
    maxBodyBytes,
    bodyMs,
    bodyDeadline: createWaitDeadline(bodyMs),
    unfinished: new OnDemand(async () => {
      const { createUnfinishedBudget } = await import("./unfinished-budget.ts");
      return createUnfinishedBudget(bytes);
    }),
    unread: new OnDemand(async () => {
      const { createUnreadBudget } = await import("./unfinished-budget.ts");
      return createUnreadBudget(2 * bytes);
    }),
  };
}

/** The share that one body takes of the room for unfinished input; nothing until a part of it has to wait. */
export class UnfinishedBody implements UnfinishedInput {
  readonly #limits: BodyLimits;
  readonly #caller: HolderSource;
  readonly giveUp: () => void;
  #budget: FairBudget<UnfinishedInput> | undefined;
  #isReleased = false;

  constructor(limits: BodyLimits, caller: HolderSource, giveUp: () => void) {
    this.#limits = limits;
    this.#caller = caller;
    this.giveUp = giveUp;
  }

  /** Takes room for all bytes that have arrived; false when there is none. Nothing more may be read before it is settled. */
  hold(bytes: number): MaybePromise<boolean> {
    return this.#limits.unfinished.use((budget) => {
      if (this.#isReleased) return true;
      if (this.#budget) return budget.resize(this, bytes);
      this.#budget = budget;
      return budget.add(this, toHolder(this.#caller), bytes);
    });
  }

  release(): void {
    this.#isReleased = true;
    this.#budget?.remove(this);
  }
}

/** The text of a body, or the error response to one that could not be read. */
export type BodyText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413 | 415 | 500 | 503; readonly problem: string };

export const bodyLost: BodyText = { ok: false, status: 400, problem: "The body did not arrive whole." };

export const bodyRefused: BodyText = {
  ok: false,
  status: 503,
  problem: "The server holds too much unfinished input; try again later.",
};

/** A body in a coding that nobody has undone. Another reader, such as a proxy, may see something else in it. */
export const bodyEncoded: Extract<BodyText, { ok: false }> = {
  ok: false,
  status: 415,
  problem: "The body must be sent without Content-Encoding.",
};

/** Returns whether the value of `Content-Encoding` names a coding. */
export function isEncoded(contentEncoding: string | null | undefined): boolean {
  const coding = contentEncoding?.trim().toLowerCase() || "identity";
  return coding !== "identity";
}

export function bodyTooLarge({ maxBodyBytes }: BodyLimits): BodyText {
  return {
    ok: false,
    status: 413,
    problem: `The body is larger than ${maxBodyBytes} bytes; raise maxBodyBytes if it may be.`,
  };
}

export function bodyTooSlow({ bodyMs }: BodyLimits): BodyText {
  return { ok: false, status: 408, problem: `The body took longer than ${bodyMs} ms to arrive.` };
}

export function toBodyText(bytes: Uint8Array): BodyText {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, status: 400, problem: "The body is not valid UTF-8." };
  return { ok: true, text };
}
