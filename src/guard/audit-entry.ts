import type { Call } from "../contract/call.ts";
import type { Principal } from "../contract/principal.ts";
import type { JsonObject } from "../lib/json.ts";
import { targetOf } from "../protocol/method.ts";
import { methods } from "../protocol/methods.ts";
import type { Implementation } from "../protocol/model/identity.ts";

/** Who called what, when, and what came of it. */
export interface AuditEntry {
  readonly at: Date;
  /** Undefined for what was refused before it was read. */
  readonly method: string | undefined;
  /** The tool, prompt or resource that was asked for. */
  readonly target: string | undefined;
  readonly principal: Pick<Principal, "issuer" | "subject" | "client"> | undefined;
  readonly address: string | undefined;
  /** As the client names itself, which is no proof of anything. */
  readonly client: Implementation | undefined;
  /**
   * `ok`; `failed`: the tool says that it failed; `asked`: the caller has to answer first;
   * `error`: answered with the error `code`; `refused`: never carried out, for a limit;
   * `cancelled`: nobody waits for the answer any more.
   */
  readonly outcome: "ok" | "failed" | "asked" | "error" | "refused" | "cancelled";
  readonly code: number | undefined;
  readonly durationMs: number;
  /** Only where they were asked for: they may hold secrets. */
  readonly arguments?: JsonObject;
}

export type AuditSink = (entry: AuditEntry) => unknown;

/** What is wanted; a request is one, and a call. */
export type GuardedRequest = Pick<Call, "method" | "params"> & Partial<Pick<Call, "revision">>;

/** Who wants it; a call is one. */
export type GuardedCaller = Pick<Call, "principal" | "address"> & Partial<Pick<Call, "client">>;

type Known = "method" | "target" | "principal" | "address" | "client";

/** The part of an entry that is known before anything is done. */
export function describeRequest(
  { method, params, revision }: GuardedRequest,
  { principal, address, client }: GuardedCaller,
): Pick<AuditEntry, Known> {
  return {
    method,
    target: targetOf((revision?.methods ?? methods).get(method), params),
    principal: principal && toIdentity(principal),
    address,
    client: client?.info,
  };
}

/** Gives an entry to the sink; what that throws, now or later, ends no call. */
export function writeAuditEntry(sink: AuditSink, entry: AuditEntry): void {
  try {
    const outcome = sink(entry);
    if (outcome instanceof Promise) void outcome.catch(complain);
  } catch (error) {
    complain(error);
  }
}

function complain(error: unknown): void {
  console.error("[allspeak] An audit entry could not be kept", error);
}

/** Claims stay out: they may hold more about a person than a log should. */
function toIdentity({ issuer, subject, client }: Principal): NonNullable<AuditEntry["principal"]> {
  return { issuer, subject, ...(client !== undefined && { client }) };
}
