import { isObject } from "../../lib/json.ts";
import type { ConsentRequest } from "../options.ts";
import { hashDefinition, serializeDefinition } from "./definition-hash.ts";
import { processTrustStore, type TrustStore, trustKey } from "./trust-store.ts";

export type ConsentPolicy = "allow" | "deny" | "ask";

/** Yes or no for this call, or for all calls of the tool from now on. */
export type ConsentAnswer = "once" | "always" | "no" | "never";

export interface ConsentOptions {
  /** By `serverId`: one policy for all tools, or one for each by its name and `"*"` for the others. */
  readonly servers?: {
    readonly [serverId: string]: ConsentPolicy | { readonly [tool: string]: ConsentPolicy };
  };
  /**
   * For tools of which the server says that they only read. Default: as for all others.
   *
   * `"allow"` takes every server at its word, and a server may lie.
   */
  readonly readOnly?: ConsentPolicy;
  /** For what nothing else is said about. Default `"ask"`. */
  readonly otherwise?: ConsentPolicy;
  /** Asks the user. Default: nobody is asked, and the answer is no. */
  readonly ask?: (call: ConsentRequest) => ConsentAnswer | Promise<ConsentAnswer>;
  /** Where `always` and `never` are remembered. Default: in memory, for as long as the process lives. */
  readonly store?: TrustStore;
}

/**
 * A `consent` for `connect` that follows policies and remembers what the user said.
 *
 * `always` is for the tool as it was shown: once its definition changes, the user is asked
 * again. `never` stays. A policy of `deny` can't be overruled.
 */
export function consentPolicy(options: ConsentOptions): (call: ConsentRequest) => Promise<boolean> {
  const { store = processTrustStore, ask } = options;
  return async (call) => {
    const policy = policyFor(options, call);
    if (policy === "deny") return false;
    const key = trustKey("consent", call.serverId, call.name);
    const remembered = await store.get(key);
    const { decision, sha256 } = isObject(remembered) ? remembered : {};
    if (decision === "deny") return false;
    if (policy === "allow") return true;
    const shown = call.tool === undefined ? null : await hashDefinition(serializeDefinition(call.tool));
    if (decision === "allow" && sha256 === shown) return true;
    const answer = await ask?.(call);
    if (answer === "always") await store.set(key, { decision: "allow", sha256: shown });
    if (answer === "never") await store.set(key, { decision: "deny" });
    return answer === "once" || answer === "always";
  };
}

function policyFor(options: ConsentOptions, { serverId, name, tool }: ConsentRequest): ConsentPolicy {
  const { servers = {}, otherwise = "ask", readOnly } = options;
  const rule = Object.hasOwn(servers, serverId) ? servers[serverId] : undefined;
  if (typeof rule === "string") return rule;
  if (rule && Object.hasOwn(rule, name)) return rule[name] ?? "ask";
  if (rule && Object.hasOwn(rule, "*")) return rule["*"] ?? "ask";
  return (tool?.annotations?.readOnlyHint === true ? readOnly : undefined) ?? otherwise;
}
