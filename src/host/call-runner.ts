import type { ToolCallOptions } from "../client/features/tool-types.ts";
import { toCancelled } from "../contract/cancelled-error.ts";
import { CancelledError, OverloadedError, UsageError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { HostAuditEntry } from "./audit-entry.ts";
import { describeFailure, outcomeOf } from "./call-failure.ts";
import type { Caller } from "./caller.ts";
import type { HostTool } from "./catalog/host-tool.ts";
import type { HostConnection } from "./connections/connection.ts";
import { HostResult } from "./host-result.ts";
import { restoreArguments } from "./models/property-names.ts";

/** The server of a call as far as the runner looks at it. */
export interface CalledServer {
  readonly name: string;
  readonly serverId: string;
  /** The number of calls that run. */
  running: number;
}

export interface CallTarget {
  readonly server: CalledServer;
  readonly tool: HostTool;
  readonly connection: HostConnection;
  readonly caller: Caller;
}

export interface CallRunnerParts {
  readonly maxRunning: number;
  readonly audit: ((entry: HostAuditEntry) => void) | undefined;
  /** The callers of the calls that are being sent, by their arguments. */
  readonly callers: WeakMap<JsonObject, Caller>;
}

/** Runs one tool after the other: counts, records, and turns failures into results. */
export class CallRunner {
  readonly #parts: CallRunnerParts;

  constructor(parts: CallRunnerParts) {
    this.#parts = parts;
  }

  async run(target: CallTarget, args: JsonObject, options: ToolCallOptions): Promise<HostResult> {
    const { server, tool, caller } = target;
    const startedAt = performance.now();
    const at = this.#parts.audit && new Date();
    const result = await this.#send(target, args, options).catch((error: unknown) => {
      if (options.signal?.aborted) return toCancelled("host.call", options.signal.reason);
      return this.toFailure(server.name, error);
    });
    if (at) this.#record({ at, startedAt, name: tool.name, tool: tool.tool.name, server, caller }, result);
    if (result instanceof HostResult) return result;
    throw result;
  }

  /** Records a call that was not sent. */
  refuse(
    name: string,
    result: HostResult,
    { server, caller }: { readonly server: CalledServer | undefined; readonly caller: Caller },
  ): HostResult {
    if (this.#parts.audit)
      this.#record(
        { at: new Date(), startedAt: performance.now(), name, tool: undefined, server, caller },
        result,
      );
    return result;
  }

  /** The result of a call that failed. Mistakes of the program are thrown. */
  toFailure(server: string, thrown: unknown): HostResult {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (error instanceof UsageError) throw error;
    return HostResult.failure(describeFailure(server, error), error);
  }

  async #send(
    { server, tool, connection, caller }: CallTarget,
    args: JsonObject,
    options: ToolCallOptions,
  ): Promise<HostResult> {
    if (server.running >= this.#parts.maxRunning)
      throw new OverloadedError(`At most ${this.#parts.maxRunning} calls of "${server.name}" run at a time.`);
    server.running++;
    // Consent finds the caller by the arguments, so each call has its own.
    const own = { ...restoreArguments(tool.inputSchema, args) };
    this.#parts.callers.set(own, caller);
    try {
      const { signal } = options;
      const answer = await connection.upstream.run(signal, (client) =>
        client.tools.call(tool.tool.name, own, options),
      );
      return new HostResult(answer);
    } finally {
      server.running--;
    }
  }

  #record(
    call: {
      readonly at: Date;
      readonly startedAt: number;
      readonly name: string;
      readonly tool: string | undefined;
      readonly server: CalledServer | undefined;
      readonly caller: Caller;
    },
    result: HostResult | CancelledError,
  ): void {
    const { at, startedAt, name, tool, server, caller } = call;
    const error = result instanceof CancelledError ? result : result.error;
    this.#parts.audit?.({
      at,
      serverName: server?.name,
      serverId: server?.serverId,
      tool,
      name,
      caller,
      outcome: toOutcome(result),
      error,
      durationMs: performance.now() - startedAt,
    });
  }
}

function toOutcome(result: HostResult | CancelledError): HostAuditEntry["outcome"] {
  if (result instanceof CancelledError) return "cancelled";
  if (result.error) return outcomeOf(result.error);
  return result.isError ? "failed" : "ok";
}
