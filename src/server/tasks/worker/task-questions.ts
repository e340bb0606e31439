import type { Call } from "../../../contract/call.ts";
import { StoreUnavailableError } from "../../../errors/overloaded-error.ts";
import { OverloadedError, RpcError } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { toOverloadError } from "../../../protocol/limit-error.ts";
import { MetaKey } from "../../../protocol/meta.ts";
import type { StoredTask, TaskStore } from "../../../state/task-store.ts";
import { askTimeout } from "../../replay/ask-strategy.ts";
import { toRefusedAnswer } from "./task-replay.ts";

/** The questions that this process is asking, by store and name, so that no question is asked twice at once. */
const asking = new WeakMap<TaskStore, Map<string, Promise<void>>>();

/**
 * Asks the questions of a task by requests to a client that waits for its result.
 *
 * basic/utilities/tasks#input-required-status (2025-11-25)
 */
export class TaskQuestions {
  readonly #call: Call;
  readonly #tasks: TaskStore;
  readonly #signal: AbortSignal;
  readonly #asking: Map<string, Promise<void>>;

  constructor(call: Call, tasks: TaskStore, signal: AbortSignal) {
    this.#call = call;
    this.#tasks = tasks;
    this.#signal = signal;
    this.#asking = asking.get(tasks) ?? new Map();
    asking.set(tasks, this.#asking);
  }

  ask({ id, status, asks }: StoredTask): void {
    if (status !== "input_required") return;
    for (const [key, ask] of Object.entries(asks)) {
      const name = `${id} ${key}`;
      const other = this.#asking.get(name);
      if (other !== undefined) void other.then(() => this.#takeOver(id));
      if (other !== undefined || !isObject(ask)) continue;
      const asked = this.#askOne(id, key, ask)
        // A store that can't be reached has not saved the answer, so the question is asked again.
        .catch(() => {})
        .finally(() => this.#asking.delete(name));
      this.#asking.set(name, asked);
    }
  }

  /** Asks again what another caller was asked and may not have answered. */
  async #takeOver(id: string): Promise<void> {
    if (this.#signal.aborted || this.#call.signal.aborted) return;
    try {
      const task = await this.#tasks.get(id);
      if (task) this.ask(task);
    } catch {
      // The next change of the task brings another attempt.
    }
  }

  async #askOne(id: string, key: string, { method, params }: JsonObject): Promise<void> {
    const asked = isObject(params) ? params : {};
    const meta = isObject(asked._meta) ? asked._meta : {};
    const related = { ...asked, _meta: { ...meta, [MetaKey.relatedTask]: { taskId: id } } };
    const signal = AbortSignal.any([this.#call.signal, this.#signal]);
    try {
      const answer = await this.#call.ask(String(method), related, { signal, timeout: askTimeout });
      await this.#tasks.answer(id, { [key]: answer });
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal) await this.#tasks.answer(id, { [key]: toRefusedAnswer(refusal) });
    }
  }
}

/**
 * The error that ends a question. An error response is an answer, and so is one that finds no room in the store: the
 * client would only be asked for it again. A timeout, a closed connection or a store that is away are none.
 */
function toRefusal(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error;
  const isTooMuch = error instanceof OverloadedError && !(error instanceof StoreUnavailableError);
  return isTooMuch ? toOverloadError(error) : undefined;
}
