import type { Call } from "../contract/call.ts";
import { RpcError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { type AuditEntry, type AuditSink, describeRequest, writeAuditEntry } from "./audit-entry.ts";
import { retryAfterMsOf } from "./limit-error.ts";

export interface AuditOptions {
  /** Whether entries have the arguments of calls, which may hold secrets. Default false. */
  readonly arguments?: boolean;
}

/** Stands around a request of a server; `server.use` takes it. */
type Around = (call: Call, next: () => Promise<JsonObject>) => Promise<JsonObject>;

type End = Pick<AuditEntry, "outcome" | "code">;

/**
 * Tells who called what, when, with which outcome and how long it took:
 * `server.use(audit((entry) => log(entry)))`, before other middlewares, to see what they refuse.
 *
 * What names no method of the server, or has params of the wrong shape, never gets here.
 */
export function audit(sink: AuditSink, options: AuditOptions = {}): Around {
  return async (call, next) => {
    const at = new Date();
    const startedAt = performance.now();
    const record = (end: End) =>
      writeAuditEntry(sink, {
        at,
        ...describeRequest(call, call),
        ...end,
        durationMs: performance.now() - startedAt,
        ...(options.arguments && isObject(call.params.arguments) && { arguments: call.params.arguments }),
      });
    try {
      const result = await next();
      record(toEnd(result));
      return result;
    } catch (error) {
      record(toFailure(error, call));
      throw error;
    }
  };
}

function toEnd({ isError, resultType }: JsonObject): End {
  if (resultType === "input_required") return { outcome: "asked", code: undefined };
  return { outcome: isError === true ? "failed" : "ok", code: undefined };
}

function toFailure(error: unknown, call: Call): End {
  if (call.signal.aborted) return { outcome: "cancelled", code: undefined };
  if (!(error instanceof RpcError)) return { outcome: "error", code: undefined };
  const outcome = retryAfterMsOf(error) === undefined ? "error" : "refused";
  return { outcome, code: error.wireCode };
}
