import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { readTask } from "../../protocol/model/read-task.ts";
import type { DetailedTask, Task } from "../../protocol/model/task.ts";
import type { CallOptions } from "../requests.ts";
import { assertTasksDeclared } from "../tasks/declared-tasks.ts";
import type { TaskCallOptions } from "../tasks/task-options.ts";
import type { TaskWaitOptions, TaskWaitParts } from "../tasks/wait-for-task.ts";
import type { FeatureParts } from "./feature-parts.ts";
import { type Listing, PagedList } from "./paged-list.ts";
import { readToolResult } from "./tool-result.ts";
import type { ToolResult } from "./tool-types.ts";
import type { ValidItems } from "./valid-items.ts";

/** The tasks of a server that this client may use. The code that waits for one is loaded with the first. */
export class ClientTasks {
  readonly #waitParts: TaskWaitParts;
  readonly #list: PagedList<JsonObject>;
  readonly #validItems: ValidItems;

  constructor(parts: FeatureParts, waitParts: TaskWaitParts) {
    this.#waitParts = waitParts;
    this.#validItems = parts.validItems;
    this.#list = new PagedList(parts, {
      method: "tasks/list",
      key: "tasks",
      isDeclared: hasCapability(parts.requests.server.capabilities, "tasks.list"),
      check: (task) => (readTask(task) ? undefined : " must be a task"),
    });
  }

  /** A task as it is now, with its questions and its result in revisions that put them there. */
  async get(taskId: string, options?: CallOptions): Promise<DetailedTask> {
    assertTasksDeclared(this.#waitParts.requests, "client.tasks.get");
    const { fetchTask } = await import("../tasks/task-requests.ts");
    return fetchTask(this.#waitParts.requests, taskId, options);
  }

  /** The tasks that the server has for this client, where the revision has a list of them. */
  list(options?: CallOptions): Listing<Task> {
    const listing = this.#list.list(options);
    return {
      async *[Symbol.asyncIterator]() {
        for await (const task of listing) yield readTask(task) as Task;
      },
      all: async () => (await listing.all()).map((task) => readTask(task) as Task),
    };
  }

  /** Asks the server to cancel a task; it may finish all the same. */
  async cancel(taskId: string, options?: CallOptions): Promise<void> {
    assertTasksDeclared(this.#waitParts.requests, "client.tasks.cancel");
    await this.#waitParts.requests.send("tasks/cancel", { taskId }, options);
  }

  /**
   * Waits for a task as the call that began it did, for a client that was started again.
   *
   * To stop waiting, by `signal` or `timeout`, does not stop the task; `cancel` does.
   */
  async resume(taskId: string, options?: TaskCallOptions): Promise<ToolResult<unknown>> {
    assertTasksDeclared(this.#waitParts.requests, "client.tasks.resume");
    const { onTask: _, callId: __, onId: ___, ...callOptions }: TaskWaitOptions = options ?? {};
    const task = await this.get(taskId, callOptions);
    const { waitForTask } = await import("../tasks/wait-for-task.ts");
    const result = await waitForTask(this.#waitParts, task, { ...options, continuesUnattended: true });
    return readToolResult(result, this.#validItems);
  }
}
