import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { UseRequests } from "../messages/use.ts";
import type { Handlers } from "../session/handler.ts";
import { measure } from "./measure.ts";

type TaskRequest = Extract<keyof UseRequests, `${string}task${string}`>;

export const taskHandlers: Handlers<TaskRequest> = {
  async "list-tasks"({ connection }, { session, signal }) {
    const { client } = session.connections.get(connection);
    return { tasks: await client.tasks.list({ signal }).all() };
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
        onTask: (state) => push("task", { request: call.id, connection: id, task: state }),
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
