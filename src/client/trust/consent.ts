import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import type { ConsentRequest } from "../options.ts";
import { hashDefinition, serializeDefinition } from "./definition-hash.ts";
import { malformedRecord, type TrustStore, type TrustValue, toTrustStore, trustKey } from "./trust-store.ts";

export type ConsentPolicy = "allow" | "deny" | "ask";

/** The user's answer: for this call, or for all calls of the tool from now on. */
export type ConsentAnswer = "once" | "always" | "no" | "never";

export interface ConsentOptions<Answer extends ConsentAnswer = ConsentAnswer> {
  /** By `serverId`: one policy for all tools, or one for each by its name and `"*"` for the others. */
  readonly servers?: {
    readonly [serverId: string]: ConsentPolicy | { readonly [tool: string]: ConsentPolicy };
  };
  /**
   * The policy of tools that the server calls read-only. Default: as for all others.
   *
   * `"allow"` believes every server, and a server may lie.
   */
  readonly readOnly?: ConsentPolicy;
  /** The policy of all other tools. Default `"ask"`. */
  readonly otherwise?: ConsentPolicy;
  /** Asks the user. Default: nobody is asked, and the answer is no. */
  readonly ask?: (call: ConsentRequest) => Answer | Promise<Answer>;
  /** Keeps `always` and `never`. Default: in memory, for as long as the process lives. */
  readonly store?: TrustStore | Map<string, TrustValue>;
}

const policies: readonly ConsentPolicy[] = ["allow", "deny", "ask"];
const answers: readonly unknown[] = ["once", "always", "no", "never"] satisfies readonly ConsentAnswer[];

const consentOptionKinds: OptionKinds<ConsentOptions> = {
  servers: "object",
  readOnly: policies,
  otherwise: policies,
  ask: "function",
  store: "object",
};

/**
 * A `consent` for `connect` that follows policies and remembers the decisions of the user.
 *
 * `always` is for the tool as it was shown: once its definition changes, the user is asked
 * again. `never` stays. A policy of `deny` can't be overruled.
 */
export function consentPolicy<const Answer extends ConsentAnswer = ConsentAnswer>(
  // The compiler takes the literal of `async () => "once"` for a string, unless it infers the type.
  options: ConsentOptions<Answer>,
): (call: ConsentRequest) => Promise<boolean> {
  assertOptions("consentPolicy", options, consentOptionKinds);
  const { ask } = options;
  const store = toTrustStore(options.store);
  return async (call) => {
    const policy = policyFor(options, call);
    if (policy === "deny") return false;
    const key = trustKey("consent", call.serverId, call.name);
    const { decision, sha256 } = toDecision(key, await store.get(key));
    if (decision === "deny") return false;
    if (policy === "allow") return true;
    const shown = call.tool === undefined ? null : await hashDefinition(serializeDefinition(call.tool));
    if (decision === "allow" && sha256 === shown) return true;
    if (ask === undefined) return false;
    // No answer, as of a closed window, is a no.
    const answer: ConsentAnswer = (await ask(call)) ?? "no";
    if (!answers.includes(answer)) {
      const given = describeValue(answer);
      throw new UsageError(`ask must answer "once", "always", "no" or "never", not ${given}.`);
    }
    if (answer === "never") await store.update(key, () => ({ decision: "deny" }));
    if (answer === "always") return rememberConsent(store, key, shown);
    return answer === "once";
  };
}

/** Returns false when another answered `never` while this user was being asked: that stays. */
async function rememberConsent(store: TrustStore, key: string, sha256: string | null): Promise<boolean> {
  let isAllowed = true;
  await store.update(key, (kept) => {
    isAllowed = toDecision(key, kept).decision !== "deny";
    return isAllowed ? { decision: "allow", sha256 } : undefined;
  });
  return isAllowed;
}

/** The decision that is kept, if there is one. A malformed record is an error: it may have been a `never`. */
function toDecision(
  key: string,
  kept: unknown,
): { readonly decision?: "allow" | "deny"; readonly sha256?: unknown } {
  if (kept === undefined) return {};
  const { decision, sha256 } = isObject(kept) ? kept : {};
  if (decision === "allow" || decision === "deny") return { decision, sha256 };
  throw malformedRecord(key, "the user's decision is");
}

function policyFor(options: ConsentOptions, { serverId, name, tool }: ConsentRequest): ConsentPolicy {
  const { servers = {}, otherwise = "ask", readOnly } = options;
  const rule = Object.hasOwn(servers, serverId) ? servers[serverId] : undefined;
  if (typeof rule === "string") return rule;
  if (rule && Object.hasOwn(rule, name)) return rule[name] ?? "ask";
  if (rule && Object.hasOwn(rule, "*")) return rule["*"] ?? "ask";
  return (tool?.annotations?.readOnlyHint === true ? readOnly : undefined) ?? otherwise;
}
