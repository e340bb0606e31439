import type { Call } from "../../contract/call.ts";
import { CancelledError, RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { LimitCode, limitReached } from "../../protocol/limit-error.ts";
import { MetaKey, readProgressToken } from "../../protocol/meta.ts";
import { type LogLevel, meetsLogLevel } from "../../protocol/model/logging.ts";
import { isTerminal } from "../../protocol/model/task.ts";
import { invalidParams, WireCode } from "../../protocol/wire-error.ts";
import type { StoredTask, TaskStore } from "../../state/task-store.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { stateFor } from "../state-for.ts";
import { assertTasksSupported, findTask, taskStoreOf, toDetailedTask } from "./find-task.ts";
import { followTask } from "./follow-task.ts";
import { TaskLogReader } from "./task-log.ts";
import type { TaskWork } from "./task-record.ts";
import { TaskQuestions } from "./worker/task-questions.ts";
import { startWorker } from "./worker/task-worker.ts";

/** The time after which another node, or this one once it is back, can be asked for the result. */
const retryMs = 1_000;

/**
 * Answers `tasks/result`: waits for a task, sends its progress, log and questions, and returns its result.
 *
 * basic/utilities/tasks#result-retrieval (2025-11-25)
 */
export async function waitForResult(request: MethodCall): Promise<JsonObject> {
  assertTasksSupported(request);
  const { id } = await findTask(request);
  startWorker(request);
  const { call } = request;
  const waiting = new Waiting(request, id);
  try {
    const task = await followTask(waiting.tasks, id, waiting.signal, (changed) => waiting.report(changed));
    await waiting.finish();
    return toResult(task, id);
  } catch (error) {
    if (call.signal.aborted || !call.closing.aborted) throw error;
    throw limitReached(LimitCode.overloaded, "The server is closing. The task continues", retryMs);
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

/** A caller that waits for a task. */
class Waiting {
  readonly tasks: TaskStore;
  readonly signal: AbortSignal;
  readonly #call: Call;
  readonly #logLevel: LogLevel;
  readonly #ended = new AbortController();
  readonly #questions: TaskQuestions;
  readonly #log: TaskLogReader;
  #last: StoredTask | undefined;
  #notified: Promise<void> = Promise.resolve();

  constructor(request: MethodCall, id: string) {
    const { call, catalog } = request;
    const tasks = taskStoreOf(request);
    const { events } = stateFor(catalog.settings, call.state);
    this.tasks = tasks;
    this.#call = call;
    this.#logLevel = call.session?.logLevel ?? catalog.settings.logLevel;
    this.#questions = new TaskQuestions(call, tasks, this.#ended.signal);
    this.#log = new TaskLogReader(events, id, (message) => this.#reportLog(id, message));
    this.signal = AbortSignal.any([call.signal, call.closing, this.#ended.signal]);
  }

  report(task: StoredTask): void {
    const last = this.#last;
    this.#last = task;
    this.#questions.ask(task);
    if (last === undefined && isTerminal(task)) return;
    this.#log.start();
    const isProgress = task.progress !== undefined && !isSame(task.progress, last?.progress);
    if (isProgress) this.#notify("notifications/progress", toProgress(task));
    if (last === undefined) return;
    if (task.status !== last.status || task.statusMessage !== last.statusMessage)
      this.#notify("notifications/tasks/status", toDetailedTask(task));
  }

  /** Settles when all that the caller is to know before the result has been sent. */
  async finish(): Promise<void> {
    await this.#log.finish();
    await this.#notified;
  }

  end(): void {
    this.#log.stop();
    this.#ended.abort(new CancelledError("The caller no longer waits for the task."));
  }

  #notify(method: string, params: JsonObject): void {
    // A reader that is gone ends the call by its signal.
    this.#notified = this.#notified.then(() => this.#call.notify(method, params)).catch(() => {});
  }

  #reportLog(taskId: string, message: JsonObject): void {
    if (meetsLogLevel(message.level as LogLevel, this.#logLevel))
      this.#notify("notifications/message", { ...message, ...relatedTo(taskId) });
  }
}

function toProgress({ id, progress, work }: StoredTask): JsonObject {
  const progressToken = readProgressToken((work as unknown as TaskWork).params);
  return { ...progress, progressToken, ...relatedTo(id) };
}

/** basic/utilities/tasks#associating-task-related-messages (2025-11-25) */
function relatedTo(taskId: string): JsonObject {
  return { _meta: { [MetaKey.relatedTask]: { taskId } } };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
