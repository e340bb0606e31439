import type { RequestId } from "../../protocol/message.ts";
import type { Notifications } from "../notifications.ts";
import type { Report } from "../problems.ts";
import type { Requests } from "../requests.ts";
import type { Rounds } from "../rounds.ts";
import type { Subscriptions } from "../subscribe.ts";
import type { TaskCallOptions } from "./task-options.ts";
import type { Told } from "./told.ts";

export interface DriveParts {
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly notifications: Notifications;
  readonly subscriptions: Subscriptions;
  readonly report: Report;
  /** Settles when the connection has closed. */
  readonly closed: Promise<unknown>;
}

export interface DriveOptions extends TaskCallOptions {
  /** The id of the request that became the task, under which its progress comes. */
  readonly callId?: RequestId | undefined;
  /** Whether the task goes on when it is not waited for any more. Default: it is cancelled. */
  readonly goesOn?: boolean | undefined;
}

/** One task that is waited for. */
export interface Drive extends DriveParts {
  readonly taskId: string;
  readonly options: DriveOptions;
  readonly told: Told;
  /** Aborted when it is not waited for any more; the reason is an error. */
  readonly signal: AbortSignal;
  giveUp(reason: Error): void;
}
