import type { Notifications } from "./notifications.ts";
import type { Requests } from "./requests.ts";
import type { Rounds } from "./rounds.ts";
import type { Salvage } from "./salvage.ts";
import type { ToolTasks } from "./tasks/tool-tasks.ts";

/** What the features of one client share: how requests go out, and how answers are read. */
export interface Exchange {
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly salvage: Salvage;
  readonly notifications: Notifications;
  readonly tasks: ToolTasks;
}
