import type { Client } from "allspeak/client";
import { RpcError } from "../../errors.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { isTerminal, type Task } from "../../protocol/model/task.ts";
import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { UseRequests } from "../messages/use.ts";
import type { Handlers, PageCall } from "../session/handler.ts";
import { measure } from "./measure.ts";

type TaskRequest = Extract<keyof UseRequests, `${string}task${string}`>;

export const taskHandlers: Handlers<TaskRequest> = {
  async "list-tasks"({ connection }, { session, signal }) {
    const { client } = session.connections.get(connection);
    const hasList = hasCapability(client.server.capabilities, "tasks.list");
    const listed = hasList ? await client.tasks.list({ signal }).all() : [];
    const ids = new Set(listed.map(({ taskId }) => taskId));
    const unlisted = session.tasks.of(connection).filter(({ taskId }) => !ids.has(taskId));
    const seen = await Promise.all(unlisted.map((task) => lookAgain(client, task, signal)));
    return { tasks: [...listed, ...seen] };
  },

  async "get-task"({ connection, task }, { session, signal }) {
    return { task: await session.connections.get(connection).client.tasks.get(task, { signal }) };
  },

  async "await-task"({ connection: id, task }, call) {
    const { session, signal, push } = call;
    const connection = session.connections.get(id);
    const { value: result, ...answered } = await measure(connection, call, () =>
      connection.client.tasks.resume(task, {
        signal,
        onProgress: (progress) => push("progress", { request: call.id, ...progress }),
        onTask: reportTask(id, call),
      }),
    );
    return { ...answered, result: result as CallToolResult };
  },

  async "cancel-task"({ connection, task }, { session, signal }) {
    const { client } = session.connections.get(connection);
    await client.tasks.cancel(task, { signal });
    return { task: await client.tasks.get(task, { signal }) };
  },
};

/** Remembers each state of the task that a call becomes, and sends it to the page. */
export function reportTask(connection: string, { id, session, push }: PageCall): (task: Task) => void {
  return (task) => {
    session.tasks.put(connection, task);
    push("task", { request: id, connection, task });
  };
}

async function lookAgain(client: Client, task: Task, signal: AbortSignal): Promise<Task> {
  if (isTerminal(task)) return task;
  try {
    return await client.tasks.get(task.taskId, { signal });
  } catch (error) {
    // The server no longer knows it: what was last seen is all that there is.
    if (error instanceof RpcError) return task;
    throw error;
  }
}
