import type { JsonObject } from "../../lib/json.ts";
import type { DetailedTask } from "../../protocol/model/task.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import type { Call } from "../call.ts";

/** The tasks of callers that live behind a mount, where the server that it stands for runs them. */
export interface MountTasks {
  /** Returns whether the task that a call names is one of its caller. */
  has(call: Call): boolean;
  /** The tasks of a caller. */
  list(call: Call): readonly DetailedTask[];
  /** Answers a method of tasks, in the neutral model; throws RpcError for a task that it does not have. */
  request(call: Call): Promise<JsonObject>;
}

/** The tasks of several as one. */
export function joinTasks(all: () => readonly MountTasks[]): MountTasks {
  const find = (call: Call) => all().find((tasks) => tasks.has(call));
  return {
    has: (call) => find(call) !== undefined,
    list: (call) => all().flatMap((tasks) => tasks.list(call)),
    request: async (call) => {
      const found = find(call);
      if (found === undefined) throw invalidParams("Task not found; it may have expired.");
      return found.request(call);
    },
  };
}
