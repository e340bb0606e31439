import {
  AuthorizationError,
  CapabilityError,
  InsufficientScopeError,
  InvalidResponseError,
  RpcError,
} from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { WireCode } from "../../protocol/wire-error.ts";

/** An answer to `server/discover` that names revisions. */
export type Discovered =
  /** The server supports these revisions. */
  | { readonly kind: "offers"; readonly offered: readonly unknown[]; readonly result: JsonObject }
  /** The server knows the method, but wants one of these revisions. */
  | { readonly kind: "wants"; readonly offered: readonly unknown[] };

/** The outcome of `server/discover`. */
export type DiscoveryOutcome =
  | Discovered
  /** The server knows the method and refuses. */
  | { readonly kind: "refuses"; readonly error: Error }
  /** No sign that the server knows the method. */
  | { readonly kind: "unclear"; readonly error: Error };

export async function readDiscovery(answer: Promise<JsonObject>): Promise<DiscoveryOutcome> {
  try {
    const result = await answer;
    const { supportedVersions: offered, resultType = "complete" } = result;
    if (Array.isArray(offered) && resultType === "complete") return { kind: "offers", offered, result };
    return {
      kind: "unclear",
      error: new InvalidResponseError("server/discover was answered without supportedVersions."),
    };
  } catch (error) {
    return classify(error instanceof Error ? error : new Error(String(error)));
  }
}

function classify(error: Error): DiscoveryOutcome {
  // Another attempt would only send the user to the login again.
  if (error instanceof AuthorizationError || error instanceof InsufficientScopeError)
    return { kind: "refuses", error };
  if (!(error instanceof RpcError)) return { kind: "unclear", error };
  switch (error.wireCode) {
    case WireCode.unsupportedRevision: {
      const offered = supportedVersionsIn(error);
      return offered ? { kind: "wants", offered } : { kind: "unclear", error };
    }
    case WireCode.missingClientCapability:
      return { kind: "refuses", error: toCapabilityError(error) };
    case WireCode.headerMismatch:
      return { kind: "refuses", error };
    default:
      return { kind: "unclear", error };
  }
}

/** The revisions that a refusal names, whatever its code. */
export function supportedVersionsIn(error: unknown): readonly unknown[] | undefined {
  if (!(error instanceof RpcError) || !isObject(error.data)) return undefined;
  return Array.isArray(error.data.supported) ? error.data.supported : undefined;
}

/** The error of a refused `initialize`: a CapabilityError if the server names what this client lacks. */
export function toInitializeError(error: unknown): unknown {
  if (!(error instanceof RpcError) || !isObject(error.data)) return error;
  return isObject(error.data.requiredCapabilities) ? toCapabilityError(error) : error;
}

function toCapabilityError(error: RpcError): CapabilityError {
  const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
  const names = isObject(required) ? Object.keys(required) : "unknown";
  return new CapabilityError(names, "client", "Talking to this server");
}
