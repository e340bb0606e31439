import type { Call } from "../contract/call.ts";
import type { Principal } from "../contract/caller/principal.ts";
import { ServerHeldError } from "../errors/host-errors.ts";
import { CancelledError, ConsentRefusedError, OverloadedError, RpcError, ToolHeldError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { LimitCode } from "../protocol/limit-error.ts";
import { targetOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";

/** One call of a tool, or one reading of a prompt or a resource, through a gateway, and its outcome. */
export interface GatewayAuditEntry {
  readonly at: Date;
  readonly kind: "tool" | "prompt" | "resource";
  /** The name of the server in the configuration; undefined for what does not exist. */
  readonly server: string | undefined;
  /** The tool's own name; undefined for prompts and resources. */
  readonly tool: string | undefined;
  /** The name by which it was called, or its URI, at most 256 characters of it. */
  readonly name: string;
  /** The caller, as far as authorization established it. */
  readonly principal: Principal | undefined;
  /** The session of the caller, where it has one. */
  readonly session: string | undefined;
  /** The name that the client gives itself, which proves nothing. */
  readonly client: string | undefined;
  /**
   * `ok`; `failed`: the tool reports that it failed; `asked`: the caller is asked something and may call again with the
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

/** The server, and the tool if it is one, that a call is for. */
export interface AuditedItem {
  readonly server: string;
  readonly tool?: string;
}

/** Runs a call and records it. */
export async function auditCall(
  audit: ((entry: GatewayAuditEntry) => void) | undefined,
  call: Call,
  run: (found: (item: AuditedItem) => void) => Promise<JsonObject>,
): Promise<JsonObject> {
  if (audit === undefined) return run(() => {});
  const at = new Date();
  const startedAt = performance.now();
  const row = methods.get(call.method);
  const kind = row?.runsTool ? "tool" : row?.nameParam === "uri" ? "resource" : "prompt";
  let found: AuditedItem | undefined;
  const record = (outcome: GatewayAuditEntry["outcome"], error?: Error) =>
    audit({
      at,
      kind,
      server: found?.server,
      tool: found?.tool,
      name: cutName(targetOf(row, call.params) ?? ""),
      principal: call.principal,
      session: call.session?.id,
      client: call.client.info && cutName(call.client.info.name),
      outcome,
      error,
      durationMs: performance.now() - startedAt,
    });
  try {
    const result = await run((item) => {
      found = item;
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

function isRefusal(error: Error, found: AuditedItem | undefined): boolean {
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
