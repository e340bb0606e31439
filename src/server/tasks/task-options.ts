/** Whether calls of a tool may, must or can't become tasks. */
export type TaskMode = "never" | "optional" | "required";

/** How one tool is run as a task. */
export interface ToolTaskOptions {
  /**
   * Whether a call goes on after it was answered, as a task that the client comes back for.
   *
   * `"optional"`: where the client knows tasks; elsewhere the call waits. `"required"`: a client
   * that knows none is refused. Default `"never"`.
   */
  readonly task?: TaskMode | undefined;
  /**
   * Whether a call that may become a task does so when the handler calls `ctx.detach()`, and not
   * at once: for what must be asked or checked while the caller still waits. Default false.
   */
  readonly detaches?: boolean | undefined;
  /** How long after its creation a task is kept, whatever comes of it. Default one hour. */
  readonly ttlMs?: number | undefined;
  /** How often clients are told to look after a task. Default 1,000. */
  readonly pollIntervalMs?: number | undefined;
}

/** How a server runs tasks. */
export interface TaskOptions {
  /** Whether this process does the work, too; `false` leaves it to `TaskRunner`s elsewhere. Default true. */
  readonly run?: boolean | undefined;
  /** Tasks that this process works on at once. Default 16. */
  readonly concurrency?: number | undefined;
  /** How long a worker that gives no sign of life is waited for before another takes over. Default 10,000. */
  readonly leaseMs?: number | undefined;
  /** Tasks of one caller that have not ended. Default 1,000. */
  readonly maxPerOwner?: number | undefined;
  /** The longest time to live that a client may ask for. Default 24 hours. */
  readonly maxTtlMs?: number | undefined;
}

/** What a handler can do that runs as a task. */
export interface TaskHandle {
  readonly id: string;
  /** Says in a few words how far the task is, for those who look after it. */
  status(message: string): Promise<void>;
}
