import type { Notifications } from "../incoming/notifications.ts";
import type { Requests } from "../requests.ts";
import type { Rounds } from "../rounds.ts";
import type { ToolTasks } from "../tasks/tool-tasks.ts";
import type { ValidItems } from "./valid-items.ts";

/** What the features of one client share: how requests go out, and how answers are read. */
export interface FeatureParts {
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly salvage: ValidItems;
  readonly notifications: Notifications;
  readonly tasks: ToolTasks;
}
