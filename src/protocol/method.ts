import type { JsonObject } from "../lib/json.ts";
import type { Check } from "./check/check.ts";
import type { WireRules } from "./encode/wire-rules.ts";

/** Writes params or a result of the neutral model as one revision does; returns its argument where nothing differs. */
export type Encode = (rules: WireRules, value: JsonObject) => JsonObject;

/** The member of a list result that holds the items. */
export type ListName = "tools" | "prompts" | "resources" | "resourceTemplates";

/** The capability without which a method may not be used, and the side that must declare it. */
export interface CapabilityNeed {
  readonly side: "client" | "server";
  readonly capability: string;
}

/**
 * One row of the method table: a request or notification of the specification, of an extension, or of a user.
 *
 * Absent columns mean the cautious answer: one round, not repeatable, counted against limits, no header.
 */
export interface Method {
  readonly name: string;
  readonly kind: "request" | "notification";
  readonly from: "client" | "server" | "either";
  readonly params: Check;
  readonly needs?: CapabilityNeed;
  /** The extension that the method belongs to, without which the other side may not use it. */
  readonly extension?: string;
  /** Opens the session: never cancelled, never in a batch, sent without the headers of a session. */
  readonly opens?: true;
  readonly answersBeforeOpening?: true;
  /** Answered however many calls are running. */
  readonly answersWhenBusy?: true;
  /** Stays open until either side ends it; counted as a listener, not as a running call. */
  readonly listens?: true;
  /**
   * May end with `input_required` and come again with the answers.
   *
   * basic/patterns/mrtr#supported-requests (2026-07-28)
   */
  readonly rounds?: true;
  /** Sending it twice has the effect of sending it once, so a lost call is repeated. */
  readonly idempotent?: true;
  /** Changes the stored session, which is saved before the answer leaves. */
  readonly changesSession?: true;
  /** The member of the params that names the target: in `Mcp-Name`, in the audit log, in the binding of sealed state. */
  readonly nameParam?: string;
  /**
   * Runs the tool that `nameParam` names: the host must consent, limits of tools count it, headers repeat
   * the arguments that the tool marks, and the tool's hints decide whether a lost call is repeated.
   */
  readonly runsTool?: true;
  /** The member of the result that holds the items of a list, and whether a mount prefixes their names. */
  readonly list?: { readonly items: ListName; readonly prefixed: boolean };
  /** The capability by which the receiver takes it as a task, in revisions where the sender decides. */
  readonly taskCapability?: string;
  /** The kind of change that a notification announces. */
  readonly announces?: "tools" | "prompts" | "resources" | "resource";
  /** A notification about a request that is under way. */
  readonly ofRequest?: true;
  /** Only the latest waiting one is sent, and none after the answer. */
  readonly coalesces?: true;
  readonly encode?: { readonly params?: Encode; readonly result?: Encode };
}

/** The target that a request names, such as its tool or its URI, where its method has one. */
export function targetOf(method: Method | undefined, params: JsonObject): string | undefined {
  const target = method?.nameParam === undefined ? undefined : params[method.nameParam];
  return typeof target === "string" ? target : undefined;
}

/** The name of the tool that a request runs, where its method runs one. */
export function toolOf(method: Method | undefined, params: JsonObject): string | undefined {
  return method?.runsTool ? targetOf(method, params) : undefined;
}
