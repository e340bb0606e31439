import type { Call } from "../contract/call.ts";
import type { Principal } from "../contract/caller/principal.ts";
import { assertFunction, assertOptions } from "../contract/options.ts";
import { RpcError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { retryAfterMsOf } from "../protocol/limit-error.ts";
import { targetOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { Implementation } from "../protocol/model/identity.ts";

/** One request and its outcome: the caller, the method, the time. */
export interface AuditEntry {
  readonly at: Date;
  /** Undefined for a request that was refused before it was read. */
  readonly method: string | undefined;
  /** The tool, prompt, resource or task that was asked for. */
  readonly target: string | undefined;
  readonly principal: Pick<Principal, "issuer" | "subject" | "client"> | undefined;
  readonly address: string | undefined;
  /** The name that the client gives itself, which proves nothing. */
  readonly client: Implementation | undefined;
  /**
   * `ok`; `failed`: the tool reports that it failed; `asked`: the caller has to answer first;
   * `error`: answered with the error `code`; `refused`: never carried out, because of a limit;
   * `cancelled`: nobody waits for the answer any more.
   */
  readonly outcome: "ok" | "failed" | "asked" | "error" | "refused" | "cancelled";
  readonly code: number | undefined;
  readonly durationMs: number;
  /** Only with `AuditOptions.arguments`: they may hold secrets. */
  readonly arguments?: JsonObject;
}

export type AuditSink = (entry: AuditEntry) => unknown;

export interface AuditOptions {
  /** True if entries have the arguments of calls, which may hold secrets. Default false. */
  readonly arguments?: boolean;
}

/** A middleware for `server.use`. */
type AuditMiddleware = (call: Call, next: () => Promise<JsonObject>) => Promise<JsonObject>;

type Outcome = Pick<AuditEntry, "outcome" | "code">;

/**
 * Records each call: caller, method, outcome and duration.
 * `server.use(audit((entry) => log(entry)))`, before other middlewares, to see what they refuse.
 *
 * A request that names no method of the server, or has params of the wrong shape, is not recorded.
 */
export function audit(sink: AuditSink, options: AuditOptions = {}): AuditMiddleware {
  assertFunction("audit", sink);
  assertOptions("audit", options, { arguments: "boolean" });
  return async (call, next) => {
    const at = new Date();
    const startedAt = performance.now();
    const record = (outcome: Outcome) =>
      writeAuditEntry(sink, {
        at,
        ...beginAuditEntry(call, call),
        ...outcome,
        durationMs: performance.now() - startedAt,
        ...(options.arguments && isObject(call.params.arguments) && { arguments: call.params.arguments }),
      });
    try {
      const result = await next();
      record(toOutcome(result));
      return result;
    } catch (error) {
      record(toFailure(error, call));
      throw error;
    }
  };
}

function toOutcome({ isError, resultType }: JsonObject): Outcome {
  if (resultType === "input_required") return { outcome: "asked", code: undefined };
  return { outcome: isError === true ? "failed" : "ok", code: undefined };
}

function toFailure(error: unknown, call: Call): Outcome {
  if (call.signal.aborted) return { outcome: "cancelled", code: undefined };
  if (!(error instanceof RpcError)) return { outcome: "error", code: undefined };
  const outcome = retryAfterMsOf(error) === undefined ? "error" : "refused";
  return { outcome, code: error.wireCode };
}

/** A request as far as the guard looks at it; a `Call` is one. */
export type GuardedRequest = Pick<Call, "method" | "params"> & Partial<Pick<Call, "revision">>;

/** The caller of a request as far as the guard looks at it; a `Call` is one. */
export type GuardedCaller = Pick<Call, "principal" | "address"> & Partial<Pick<Call, "client">>;

/** The part of an entry that is known before the call runs. */
export function beginAuditEntry(
  { method, params, revision }: GuardedRequest,
  { principal, address, client }: GuardedCaller,
): Pick<AuditEntry, "method" | "target" | "principal" | "address" | "client"> {
  return {
    method,
    target: targetOf((revision?.methods ?? methods).get(method), params),
    principal: principal && toIdentity(principal),
    address,
    client: client?.info,
  };
}

/** Hands an entry to the sink. A sink that fails, now or later, ends no call. */
export function writeAuditEntry(sink: AuditSink, entry: AuditEntry): void {
  try {
    const writing = sink(entry);
    if (writing instanceof Promise) void writing.catch(reportSinkFailure);
  } catch (error) {
    reportSinkFailure(error);
  }
}

function reportSinkFailure(error: unknown): void {
  console.error("[allspeak] An audit entry could not be written", error);
}

/** Claims stay out: they may hold more about a person than a log should. */
function toIdentity({ issuer, subject, client }: Principal): NonNullable<AuditEntry["principal"]> {
  return { issuer, subject, ...(client !== undefined && { client }) };
}
