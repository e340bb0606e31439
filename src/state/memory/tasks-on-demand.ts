import { OnDemand } from "../../lib/async/on-demand.ts";
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
  readonly #listeners = new Set<(id: string) => void>();
  readonly #tasks: OnDemand<MemoryTasks>;

  constructor(limits: MemoryTaskLimits) {
    this.#tasks = new OnDemand(async () => {
      const { MemoryTasks } = await import("./tasks.ts");
      const tasks = new MemoryTasks(limits);
      tasks.onChange((id) => {
        for (const listener of this.#listeners) listener(id);
      });
      return tasks;
    });
  }

  async create(task: NewTask, maxOfHolder: number): Promise<StoredTask | undefined> {
    return this.#tasks.use((tasks) => tasks.create(task, maxOfHolder));
  }

  async get(id: string): Promise<StoredTask | undefined> {
    return this.#tasks.use((tasks) => tasks.get(id));
  }

  async list(lister: string, limit: number, after?: string): Promise<TaskPage | undefined> {
    return this.#tasks.use((tasks) => tasks.list(lister, limit, after));
  }

  async claim(queue: string, leaseMs: number): Promise<ClaimedTask | undefined> {
    return this.#tasks.use((tasks) => tasks.claim(queue, leaseMs));
  }

  async save(claim: TaskClaim, change: TaskChange): Promise<boolean> {
    return this.#tasks.use((tasks) => tasks.save(claim, change));
  }

  async answer(id: string, answers: JsonObject): Promise<void> {
    return this.#tasks.use((tasks) => tasks.answer(id, answers));
  }

  async cancel(id: string): Promise<boolean> {
    return this.#tasks.use((tasks) => tasks.cancel(id));
  }

  onChange(listener: (id: string) => void): () => void {
    const own = (id: string) => listener(id);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}
