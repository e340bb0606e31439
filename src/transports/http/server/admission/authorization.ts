import type { Principal } from "../../../../contract/caller/principal.ts";
import {
  type Authenticator,
  type AuthRefusal,
  MissingScopesError,
  type OneTimeValues,
} from "../../../../contract/http-auth.ts";
import { type RpcError, UsageError } from "../../../../errors.ts";
import { OnDemand } from "../../../../lib/async/on-demand.ts";
import type { ValueStore } from "../../../../state/state.ts";
import type { HttpOptions, HttpSettings } from "../http-options.ts";

/** Puts authorization in front of everything that is served with these options; undefined where none was given. */
export function createAuthenticator(
  { auth, identify, publicUrl }: HttpOptions,
  { path, sse }: HttpSettings,
  shared: () => Promise<ValueStore> | undefined,
): Authenticator | undefined {
  if (auth === undefined) return undefined;
  if (identify) throw new UsageError("Give auth or identify, not both: each determines the principal.");
  const endpoints = sse ? [[path], [sse.path, sse.messagesPath]] : [[path]];
  return auth.protect({ publicUrl, endpoints })(toOneTimeValues(shared));
}

/** The values of the state, where one was given, or those of this process. */
function toOneTimeValues(shared: () => Promise<ValueStore> | undefined): OneTimeValues {
  const values = new OnDemand(async () => {
    const opened = shared();
    if (opened !== undefined) return opened;
    const { MemoryValues } = await import("../../../../state/memory/values.ts");
    return new MemoryValues();
  });
  return {
    add: (...given) => values.use((store) => store.add(...given)),
    get: (...given) => values.use((store) => store.get(...given)),
  };
}

/**
 * The step-up challenge for a call that lacks scopes; undefined for any other failure.
 *
 * basic/authorization#runtime-insufficient-scope-errors (2025-11-25)
 */
export function toStepUp(
  authenticator: Authenticator | undefined,
  principal: Principal | undefined,
  error: RpcError,
): AuthRefusal | undefined {
  if (principal === undefined || !(error instanceof MissingScopesError)) return undefined;
  return authenticator?.stepUp(principal, error.scopes);
}
