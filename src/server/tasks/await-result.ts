import type { Call } from "../../peer/call.ts";
import { CancelledError, invalidParams, RpcError } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { hasEnded } from "../../protocol/model/task.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import type { StoredTask, TaskStore } from "../../state/tasks.ts";
import type { Asked } from "../handlers/handler.ts";
import { describeTask } from "./describe-task.ts";
import { assertTasks, findTask, tasksOf } from "./find-task.ts";
import { followTask } from "./follow-task.ts";
import { LiveQuestions } from "./live-questions.ts";
import type { TaskWork } from "./task-work.ts";
import { startWorker } from "./workers.ts";

/** Waits for a task to end and gives its result; meanwhile tells how far it is and puts its questions. */
export async function awaitResult(asked: Asked): Promise<JsonObject> {
  assertTasks(asked);
  const { id } = await findTask(asked);
  startWorker(asked);
  const { call } = asked;
  const tasks = tasksOf(asked);
  const waiting = new Waiting(call, tasks);
  try {
    const task = await followTask(tasks, id, waiting.signal, (changed) => waiting.tell(changed));
    await waiting.told;
    return toResult(task, id);
  } catch (error) {
    if (call.signal.aborted || !call.closing.aborted) throw error;
    throw new RpcError(
      WireCode.internal,
      "The server is closing; the task goes on, ask for its result again.",
    );
  } finally {
    waiting.end();
  }
}

function toResult(task: StoredTask | undefined, id: string): JsonObject {
  if (task === undefined) throw invalidParams("Task not found; it may have expired.");
  const related = { [MetaKey.relatedTask]: { taskId: id } };
  if (task.result) {
    const meta = isObject(task.result._meta) ? task.result._meta : {};
    return { ...task.result, _meta: { ...meta, ...related } };
  }
  if (task.error) {
    const { code, message, data } = task.error;
    throw new RpcError(Number(code), String(message), data);
  }
  throw new RpcError(WireCode.invalidRequest, "The task was cancelled.");
}

/** One caller that waits for a task. */
class Waiting {
  readonly signal: AbortSignal;
  readonly #call: Call;
  readonly #ended = new AbortController();
  readonly #questions: LiveQuestions;
  #last: StoredTask | undefined;
  /** Settles when all that was to be told has been. */
  told: Promise<void> = Promise.resolve();

  constructor(call: Call, tasks: TaskStore) {
    this.#call = call;
    this.#questions = new LiveQuestions(call, tasks, this.#ended.signal);
    this.signal = AbortSignal.any([call.signal, call.closing, this.#ended.signal]);
  }

  tell(task: StoredTask): void {
    const last = this.#last;
    this.#last = task;
    this.#questions.ask(task);
    if (last === undefined && hasEnded(task)) return;
    const isProgress = task.progress !== undefined && !isSame(task.progress, last?.progress);
    if (isProgress) this.#notify("notifications/progress", toProgress(task));
    if (last === undefined) return;
    if (task.status !== last.status || task.statusMessage !== last.statusMessage)
      this.#notify("notifications/tasks/status", describeTask(task));
  }

  end(): void {
    this.#ended.abort(new CancelledError("Nobody waits for the task any more."));
  }

  #notify(method: string, params: JsonObject): void {
    // A reader that is gone ends the call by its signal.
    this.told = this.told.then(() => this.#call.notify(method, params)).catch(() => {});
  }
}

function toProgress({ id, progress, work }: StoredTask): JsonObject {
  const { params } = work as unknown as TaskWork;
  const { progressToken } = isObject(params._meta) ? params._meta : {};
  return { ...progress, progressToken, _meta: { [MetaKey.relatedTask]: { taskId: id } } };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
