import type { Caller } from "./caller.ts";

/** One call of a tool and its outcome. */
export interface HostAuditEntry {
  readonly at: Date;
  /** The name of the server in the configuration; undefined for a tool that does not exist. */
  readonly serverName: string | undefined;
  /** The key under which consent and pins know the server. */
  readonly serverId: string | undefined;
  /** The tool's own name. */
  readonly tool: string | undefined;
  /** The name by which the model called it. */
  readonly name: string;
  readonly caller: Caller;
  /**
   * `ok`; `failed`: the tool reports that it failed; `refused`: consent, pins or a limit did not let it run; `error`:
   * there was no answer; `cancelled`: nobody waits for it any more.
   */
  readonly outcome: "ok" | "failed" | "refused" | "error" | "cancelled";
  readonly error: Error | undefined;
  readonly durationMs: number;
}
