import type { JsonObject } from "../../lib/json.ts";
import type {
  ClaimedTask,
  NewTask,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskPage,
  TaskStore,
} from "../task-store.ts";
import type { MemoryTaskLimits, MemoryTasks } from "./tasks.ts";

/** Tasks of one process. The store is loaded with the first task: most servers have none. */
export class MemoryTasksOnDemand implements TaskStore {
  readonly #limits: MemoryTaskLimits;
  readonly #listeners = new Set<(id: string) => void>();
  #loading: Promise<MemoryTasks> | undefined;

  constructor(limits: MemoryTaskLimits) {
    this.#limits = limits;
  }

  async create(task: NewTask, maxOfHolder: number): Promise<StoredTask | undefined> {
    return (await this.#load()).create(task, maxOfHolder);
  }

  async get(id: string): Promise<StoredTask | undefined> {
    return (await this.#load()).get(id);
  }

  async list(lister: string, limit: number, after?: string): Promise<TaskPage | undefined> {
    return (await this.#load()).list(lister, limit, after);
  }

  async claim(queue: string, leaseMs: number): Promise<ClaimedTask | undefined> {
    return (await this.#load()).claim(queue, leaseMs);
  }

  async save(claim: TaskClaim, change: TaskChange): Promise<boolean> {
    return (await this.#load()).save(claim, change);
  }

  async answer(id: string, answers: JsonObject): Promise<void> {
    return (await this.#load()).answer(id, answers);
  }

  async cancel(id: string): Promise<boolean> {
    return (await this.#load()).cancel(id);
  }

  onChange(listener: (id: string) => void): () => void {
    const own = (id: string) => listener(id);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #load(): Promise<MemoryTasks> {
    this.#loading ??= import("./tasks.ts").then(({ MemoryTasks }) => {
      const tasks = new MemoryTasks(this.#limits);
      tasks.onChange((id) => {
        for (const listener of this.#listeners) listener(id);
      });
      return tasks;
    });
    return this.#loading;
  }
}
