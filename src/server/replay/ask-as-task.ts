import type { Call } from "../../contract/call.ts";
import type { RequestOptions } from "../../contract/channel.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { readTask } from "../../protocol/model/read-task.ts";

/** Asks a question as a task of the client, and waits for its result. */
export async function askAsTask(
  call: Call,
  method: string,
  params: JsonObject,
  options: RequestOptions,
): Promise<JsonObject> {
  const created = await call.ask(method, { ...params, task: {} }, options);
  const task = readTask(created.task);
  // A client may answer at once instead.
  if (task === undefined) return created;
  const { taskId } = task;
  try {
    return await call.ask("tasks/result", { taskId }, options);
  } catch (error) {
    // The answer is no longer needed. If the call itself was aborted, the client can't be reached through it.
    if (hasCapability(call.client.capabilities, "tasks.cancel") && !call.signal.aborted)
      call.ask("tasks/cancel", { taskId }).catch(() => {});
    throw error;
  }
}
