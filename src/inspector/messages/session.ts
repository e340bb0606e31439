import type { ConnectionView, OfferedServer } from "./connection.ts";
import type { Question, ScriptedModel } from "./question.ts";
import type { RecordingView } from "./recording.ts";
import type { Nothing } from "./reply.ts";
import type { SubscriptionView } from "./use.ts";
import type { WireTotals } from "./wire.ts";

export interface SessionRequests {
  /**
   * Opens the session with the one-time token of the address (`#token=…`), or resumes it with its secret.
   *
   * The token works once. Keep the secret in the storage of the page, take the token out of the address, and send the
   * secret from then on. A `session-unknown` failure means that the person must open the address of the terminal.
   */
  "open-session": {
    readonly params: { readonly token: string } | { readonly secret: string };
    readonly result: SessionView;
  };
  /** Gives up a request of this socket that is not answered yet; that request fails with the code `cancelled`. */
  cancel: { readonly params: { readonly request: number }; readonly result: Nothing };
}

export interface SessionEvents {
  /** Something that went wrong and belongs to no request. */
  problem: { readonly connection?: string; readonly message: string };
}

/** Everything that a page shows at once, also after it was loaded again: state belongs to the session, not to a tab. */
export interface SessionView {
  readonly secret: string;
  /** The version of the library. */
  readonly version: string;
  /** All revisions that the library speaks, newest first. */
  readonly revisions: readonly string[];
  /** Servers that were handed in where the inspector was started. */
  readonly offered: readonly OfferedServer[];
  readonly connections: readonly ConnectionView[];
  /** Those that are open. */
  readonly subscriptions: readonly SubscriptionView[];
  readonly questions: readonly Question[];
  readonly recordings: readonly RecordingView[];
  readonly model: ScriptedModel;
  readonly wire: WireTotals;
}
