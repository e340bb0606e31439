import type { Call } from "../contract/call.ts";
import type { Principal } from "../contract/caller/principal.ts";
import { ServerHeldError } from "../errors/host-errors.ts";
import { CancelledError, ConsentRefusedError, OverloadedError, RpcError, ToolHeldError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { LimitCode } from "../protocol/limit-error.ts";

/** One call of a tool through a gateway, and its outcome. */
export interface GatewayAuditEntry {
  readonly at: Date;
  /** The name of the server in the configuration; undefined for a tool that does not exist. */
  readonly server: string | undefined;
  /** The tool's own name. */
  readonly tool: string | undefined;
  /** The name by which it was called, at most 256 characters of it. */
  readonly name: string;
  /** Who called, as far as authorization established it. */
  readonly principal: Principal | undefined;
  /** The session of the caller, where it has one. */
  readonly session: string | undefined;
  /** The name that the client gives itself, which proves nothing. */
  readonly client: string | undefined;
  /**
   * `ok`; `failed`: the tool says that it failed; `asked`: the caller is asked something and may call again with the
   * answer; `refused`: rules, consent, pins or a limit did not let it run; `error`: there was no answer; `cancelled`:
   * nobody waits for it any more.
   */
  readonly outcome: "ok" | "failed" | "asked" | "refused" | "error" | "cancelled";
  readonly error: Error | undefined;
  readonly durationMs: number;
}

const maxNameChars = 256;

/** A name that a caller made up, for records and errors: whoever sends megabytes does not fill them. */
export function cutName(name: string): string {
  return name.length <= maxNameChars ? name : `${name.slice(0, maxNameChars - 1)}…`;
}

/** The tool that a call is for. */
export interface AuditedTool {
  readonly server: string;
  readonly tool: string;
}

/** Runs a call of a tool and records it. */
export async function auditCall(
  audit: ((entry: GatewayAuditEntry) => void) | undefined,
  call: Call,
  run: (found: (tool: AuditedTool) => void) => Promise<JsonObject>,
): Promise<JsonObject> {
  if (audit === undefined) return run(() => {});
  const at = new Date();
  const startedAt = performance.now();
  let found: AuditedTool | undefined;
  const record = (outcome: GatewayAuditEntry["outcome"], error?: Error) =>
    audit({
      at,
      server: found?.server,
      tool: found?.tool,
      name: cutName(String(call.params.name)),
      principal: call.principal,
      session: call.session?.id,
      client: call.client.info && cutName(call.client.info.name),
      outcome,
      error,
      durationMs: performance.now() - startedAt,
    });
  try {
    const result = await run((tool) => {
      found = tool;
    });
    record(toOutcome(result));
    return result;
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const isCancelled = call.signal.aborted || error instanceof CancelledError;
    record(isCancelled ? "cancelled" : isRefusal(error, found) ? "refused" : "error", error);
    throw thrown;
  }
}

function toOutcome({ resultType, isError }: JsonObject): GatewayAuditEntry["outcome"] {
  if (resultType === "input_required") return "asked";
  return isError === true ? "failed" : "ok";
}

function isRefusal(error: Error, found: AuditedTool | undefined): boolean {
  const isLimit = error instanceof RpcError && !error.isReceived && error.wireCode === LimitCode.overloaded;
  return (
    found === undefined ||
    isLimit ||
    error instanceof ConsentRefusedError ||
    error instanceof ToolHeldError ||
    error instanceof ServerHeldError ||
    error instanceof OverloadedError
  );
}
