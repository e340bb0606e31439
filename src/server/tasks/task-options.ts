import type { OptionKinds } from "../../lib/option-check.ts";

/** The rule on whether calls of a tool become tasks. */
export type TaskMode = "never" | "optional" | "required";

/** The task options of one tool. */
export interface ToolTaskOptions {
  /**
   * The rule on when calls become tasks, which continue after the answer and whose result the client fetches.
   *
   * `"optional"`: if the client supports tasks; otherwise the call waits. `"required"`: a client
   * without tasks is refused. Default `"never"`.
   */
  readonly task?: TaskMode | undefined;
  /**
   * Makes a call a task only when the handler calls `ctx.detach()`, so that it can ask and
   * check things while the caller still waits. Default false.
   */
  readonly detaches?: boolean | undefined;
  /** The time after its creation for which a task is stored, finished or not. Default one hour. */
  readonly ttlMs?: number | undefined;
  /** The interval at which clients should poll a task. Default 1,000. */
  readonly pollIntervalMs?: number | undefined;
}

export const toolTaskOptionKinds: OptionKinds<ToolTaskOptions> = {
  task: ["never", "optional", "required"] satisfies readonly TaskMode[],
  detaches: "boolean",
  ttlMs: "number",
  pollIntervalMs: "number",
};

/** The task options of a server. */
export interface TaskOptions {
  /** Runs tasks in this process; `false` leaves them to a `TaskRunner` elsewhere. Default true. */
  readonly run?: boolean | undefined;
  /** The number of tasks that this process runs at once. Default 16. */
  readonly concurrency?: number | undefined;
  /** The time after which another worker takes over from one that no longer renews its lease. Default 10,000. */
  readonly leaseMs?: number | undefined;
  /** The number of unfinished tasks that one caller may have. Default 1,000. */
  readonly maxPerOwner?: number | undefined;
  /** The longest time to live that a client may ask for. Default 24 hours. */
  readonly maxTtlMs?: number | undefined;
}

export const taskOptionKinds: OptionKinds<TaskOptions> = {
  run: "boolean",
  concurrency: "positive",
  leaseMs: "positive",
  maxPerOwner: "number",
  maxTtlMs: "number",
};

/** The task of a handler that runs as one. */
export interface TaskHandle {
  readonly id: string;
  /** Sets the status message of the task. */
  status(message: string): Promise<void>;
}
