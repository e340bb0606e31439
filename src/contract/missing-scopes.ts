import { RpcError } from "../errors.ts";
import { WireCode } from "../protocol/wire-error.ts";

/** A call that its caller could make with more scopes. Transports that have a way to ask for them do so. */
export class MissingScopesError extends RpcError {
  /** All that the call needs. */
  readonly scopes: readonly string[];

  constructor(scopes: readonly string[]) {
    super(WireCode.invalidRequest, `Access needs the scopes: ${scopes.join(" ")}`, { scopes });
    this.scopes = scopes;
  }
}
