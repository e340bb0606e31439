import type { Task } from "../../protocol/model/task.ts";

const maxTasks = 200;

/** The tasks that calls of the session have begun, as they were last seen. Newer revisions have no list of them. */
export class SeenTasks {
  readonly #seen = new Map<string, { readonly connection: string; readonly task: Task }>();

  put(connection: string, task: Task): void {
    this.#seen.set(JSON.stringify([connection, task.taskId]), { connection, task });
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= maxTasks) break;
      this.#seen.delete(oldest);
    }
  }

  of(connection: string): readonly Task[] {
    return [...this.#seen.values()].filter((seen) => seen.connection === connection).map(({ task }) => task);
  }
}
