import { toCancelled } from "../../../contract/cancelled-error.ts";
import { AuthorizationError } from "../../../errors.ts";
import { SingleFlight } from "../../../lib/async/single-flight.ts";
import type { AccessChallenge } from "../discovery/access-challenge.ts";
import type { AuthTrace } from "../trace.ts";
import type { ActiveTokens } from "./active-tokens.ts";
import type { TokenKeeper } from "./token-keeper.ts";

/**
 * The tokens that all requests to one server share.
 *
 * They are loaded, refreshed and replaced in a single flight: requests that need new tokens at the
 * same time wait for the same refresh or login. `TokenKeeper` does the same among processes.
 */
export class SharedTokens {
  readonly #keeper: TokenKeeper;
  readonly #refresh = new SingleFlight<void>(toCancelledError);
  /** Logins and step-ups. */
  readonly #replacement = new SingleFlight<void>(toCancelledError);
  #loading: Promise<void> | undefined;
  #current: ActiveTokens | undefined;

  constructor(keeper: TokenKeeper) {
    this.#keeper = keeper;
  }

  /** The tokens of this moment; undefined before they are loaded, and where there are none. */
  get current(): ActiveTokens | undefined {
    return this.#current;
  }

  get trace(): AuthTrace {
    return this.#keeper.trace;
  }

  /** The tokens to send: loaded from the store, and refreshed when they have expired. */
  async load(signal: AbortSignal): Promise<ActiveTokens | undefined> {
    this.#loading ??= this.#load();
    await this.#loading;
    const stale = this.#current;
    if (stale?.isExpired && stale.tokens.refreshToken !== undefined) {
      // If the refresh fails, the server refuses the old token, which starts the recovery.
      await this.#refresh
        .join(signal, async () => {
          this.#current = await this.#keeper.refresh(stale);
        })
        .catch((error: unknown) => {
          if (!(error instanceof AuthorizationError)) throw error;
        });
    }
    return this.#current;
  }

  /** Replaces tokens that the server has refused. */
  recover(challenge: AccessChallenge, used: ActiveTokens | undefined, signal: AbortSignal): Promise<void> {
    return this.#replacement.join(signal, async (stop) => {
      this.#current = await this.#keeper.recover(challenge, used, stop);
    });
  }

  /** Replaces the tokens by some with more scopes. */
  stepUp(
    challenge: AccessChallenge,
    used: ActiveTokens | undefined,
    stepUps: ActiveTokens["stepUps"],
    signal: AbortSignal,
  ): Promise<void> {
    return this.#replacement.join(signal, async (stop) => {
      this.#current = await this.#keeper.stepUp(challenge, used, stepUps, stop);
    });
  }

  async #load(): Promise<void> {
    try {
      this.#current ??= await this.#keeper.load();
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}

function toCancelledError(reason: unknown): Error {
  return toCancelled("Obtaining credentials", reason);
}
