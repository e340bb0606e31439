import type { Channel } from "../../contract/channel.ts";
import type { Change } from "../../contract/server-event.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { ServerDescription } from "../agreement.ts";
import type { UntypedPrompts } from "../features/prompts.ts";
import type { ClientResources } from "../features/resource-types.ts";
import type { ClientTasks } from "../features/tasks.ts";
import type { UntypedTools } from "../features/tools.ts";
import type { RawRequestOptions } from "../requests.ts";
import type { Subscription, SubscriptionFilter } from "../subscriptions/subscription.ts";
import type { TaskWaitOptions } from "../tasks/wait-for-task.ts";
import type { RunningCalls } from "./running-calls.ts";

/** The features of a client that another server can offer. */
export interface MountableClient {
  readonly server: ServerDescription;
  readonly closed: Promise<Error>;
  readonly channel: Pick<Channel, "answersSent">;
  readonly revision: Revision;
  /** The calls of others that this client sends. */
  calls(): Promise<RunningCalls>;
  readonly tools: Pick<UntypedTools, "list" | "resultReader" | "taskSupport" | "withTask">;
  readonly resources: ClientResources;
  readonly prompts: Pick<UntypedPrompts, "list">;
  readonly tasks: Pick<ClientTasks, "cancel"> & {
    resume(taskId: string, options: TaskWaitOptions): ReturnType<ClientTasks["resume"]>;
  };
  request(
    method: string,
    params: JsonObject,
    options: RawRequestOptions & Pick<TaskWaitOptions, "onTask">,
  ): Promise<JsonObject>;
  setLogLevel(level: LogLevel): Promise<void>;
  subscribe(filter: SubscriptionFilter): Promise<Subscription>;
  onChange(listener: (change: Change) => void): () => void;
}
