import { CapabilityError, InvalidResponseError, UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { readTask } from "../../protocol/model/task.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { CallOptions } from "../requests.ts";
import type { TaskAugmentation, TaskCallOptions } from "./task-options.ts";
import type { TaskWaitParts } from "./task-wait.ts";

type Send = (params: JsonObject, options: CallOptions) => Promise<JsonObject>;

/** Sends calls that may become tasks, and waits for those that do. */
export class ToolTasks {
  readonly #parts: TaskWaitParts;

  constructor(parts: TaskWaitParts) {
    this.#parts = parts;
  }

  /** The params of a call with the wish that it become a task, where that is the caller's to say. */
  toParams(params: JsonObject, wish: TaskAugmentation | undefined, tool: Tool | undefined): JsonObject {
    const { revision, server } = this.#parts.requests;
    if (revision.tasks !== "by-sender" || wish === false) return params;
    const isPossible = hasCapability(server.capabilities, "tasks.requests.tools.call");
    const support = tool?.execution?.taskSupport;
    if (wish === undefined) return isPossible && support === "required" ? { ...params, task: {} } : params;
    if (!isPossible)
      throw new CapabilityError("tasks.requests.tools.call", "server", "Calling a tool as a task");
    if (tool && support !== "optional" && support !== "required")
      throw new UsageError(`The tool "${tool.name}" can't be called as a task.`);
    const { ttlMs } = wish === true ? {} : wish;
    return { ...params, task: ttlMs === undefined ? {} : { ttlMs } };
  }

  /** Sends a call; if it becomes a task, the result is that of the task. */
  async send(params: JsonObject, options: TaskCallOptions, send: Send): Promise<JsonObject> {
    const { onTask: _, ...others } = options;
    let callId: RequestId | undefined;
    const onId = (id: RequestId) => {
      callId = id;
    };
    const answer = await send(params, { ...others, onId } as CallOptions);
    const created = this.#createdTask(params, answer);
    if (created === undefined) return answer;
    const task = readTask(created);
    if (task === undefined)
      throw new InvalidResponseError("tools/call was answered with a task that is none.");
    const { waitForTask } = await import("./wait-entry.ts");
    return waitForTask(this.#parts, task, { ...options, callId });
  }

  #createdTask(params: JsonObject, answer: JsonObject): unknown {
    switch (this.#parts.requests.revision.tasks) {
      case "by-receiver":
        return answer.resultType === "task" ? answer : undefined;
      case "by-sender":
        return params.task === undefined ? undefined : answer.task;
      case "none":
        return undefined;
    }
  }
}
