import type { RequestId } from "../../protocol/message.ts";
import type { Notifications } from "../incoming/notifications.ts";
import type { Report } from "../report.ts";
import type { Requests } from "../requests.ts";
import type { Rounds } from "../rounds.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { TaskCallOptions } from "./task-options.ts";
import type { TaskReporter } from "./task-reporter.ts";

export interface TaskWaitParts {
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly notifications: Notifications;
  readonly subscriptions: Subscriptions;
  readonly report: Report;
  /** Settles when the connection has closed. */
  readonly closed: Promise<unknown>;
}

export interface TaskWaitOptions extends TaskCallOptions {
  /** The id of the request that became the task, under which its progress comes. */
  readonly callId?: RequestId | undefined;
  /** Whether the task goes on when it is not waited for any more. Default: it is cancelled. */
  readonly continuesUnattended?: boolean | undefined;
}

/** One task that is waited for. */
export interface TaskWait extends TaskWaitParts {
  readonly taskId: string;
  readonly options: TaskWaitOptions;
  readonly reporter: TaskReporter;
  /** Aborted when it is not waited for any more; the reason is an error. */
  readonly signal: AbortSignal;
  giveUp(reason: Error): void;
}
