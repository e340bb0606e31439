import type { Call } from "../../contract/call.ts";
import { untilAborted } from "../../contract/cancelled-error.ts";
import { CancelledError, RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey, readProgressToken } from "../../protocol/meta.ts";
import type { DetailedTask, Task } from "../../protocol/model/task.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import type { HeldCall } from "./held-call.ts";

type Outcome = Pick<DetailedTask, "status" | "result" | "error">;

const hour = 3_600_000;
/** The longest time that a task is kept, also for a server that keeps its tasks indefinitely. */
const maxTtlMs = 24 * hour;

/**
 * A call that its caller sees as a task.
 *
 * It is followed until its end over the connection that it was begun on: another server may know its tasks only there.
 */
export class ForwardedTask {
  readonly #held: HeldCall;
  readonly #createdAt = new Date();
  readonly #progressToken: unknown;
  /** The calls that wait for the result, and get the progress. */
  readonly #waiting = new Set<Call>();
  readonly #onEnd: (outcome: Outcome) => void;
  #updatedAt: Date = this.#createdAt;
  #outcome: Outcome | undefined;

  constructor(held: HeldCall, onEnd: (outcome: Outcome) => void) {
    this.#held = held;
    this.#onEnd = onEnd;
    this.#progressToken = readProgressToken(held.call.params);
    held.onChange(() => {
      this.#updatedAt = new Date();
    });
    held.result.then(
      (result) => this.#end({ status: "completed", result }),
      (error) => this.#end(toOutcome(error)),
    );
  }

  get ttlMs(): number {
    return Math.min(this.#held.task?.ttlMs ?? hour, maxTtlMs);
  }

  get hasEnded(): boolean {
    return this.#outcome !== undefined;
  }

  /** The task in the neutral model. */
  describe(taskId: string): DetailedTask & JsonObject {
    const { task, questions } = this.#held;
    const isAsking = Object.keys(questions).length > 0;
    return {
      taskId,
      status: isAsking ? "input_required" : "working",
      ...pickMessage(task),
      createdAt: this.#createdAt.toISOString(),
      lastUpdatedAt: this.#updatedAt.toISOString(),
      ttlMs: this.ttlMs,
      pollIntervalMs: task?.pollIntervalMs ?? 1000,
      ...(isAsking && { inputRequests: questions }),
      ...this.#outcome,
    };
  }

  answer(answers: unknown): void {
    this.#held.answer(answers);
    this.#updatedAt = new Date();
  }

  /** Ends the task, here and at the server. */
  cancel(): void {
    this.#end({ status: "cancelled" });
    this.#held.giveUp(new CancelledError("The caller cancelled the task."));
  }

  /** Waits for the result with a call, which gets the questions, the progress and the logs meanwhile. */
  async wait(taskId: string, call: Call): Promise<JsonObject> {
    const asked = new Set<string>();
    const putQuestions = () => {
      for (const [key, question] of Object.entries(this.#held.questions)) {
        if (asked.has(key)) continue;
        asked.add(key);
        const { method, params } = question;
        void this.#put(key, { method, params: { ...params, _meta: relatedTo(taskId, params) } }, call);
      }
    };
    const stop = this.#held.onChange(putQuestions);
    this.#waiting.add(call);
    putQuestions();
    try {
      await untilAborted(this.#held.result, call.method, call.signal);
    } catch (error) {
      if (call.signal.aborted) throw error;
    } finally {
      stop();
      this.#waiting.delete(call);
    }
    return this.#toResult(taskId);
  }

  /** Sends a notification to those who wait for the result. */
  readonly notify: Call["notify"] = async (method, params) => {
    const isProgress = "progressToken" in params;
    if (isProgress && this.#progressToken === undefined) return;
    const sent = isProgress ? { ...params, progressToken: this.#progressToken } : params;
    await Promise.all([...this.#waiting].map((call) => call.notify(method, sent)));
  };

  async #put(
    key: string,
    { method, params }: { method: string; params: JsonObject },
    call: Call,
  ): Promise<void> {
    try {
      this.answer({ [key]: await call.ask(method, params, { signal: call.signal }) });
    } catch (error) {
      // A caller that went away may come back, and is asked again.
      if (!call.signal.aborted) this.#held.refuse(key, error);
    }
  }

  #toResult(taskId: string): JsonObject {
    const { result, error } = this.#outcome ?? {};
    if (result) return { ...result, _meta: relatedTo(taskId, result) };
    if (error) throw new RpcError(error.code, error.message, error.data);
    throw new RpcError(WireCode.invalidRequest, "The task was cancelled.");
  }

  #end(outcome: Outcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#updatedAt = new Date();
    this.#onEnd(outcome);
  }
}

/**
 * The metadata of a message that belongs to a task.
 *
 * basic/utilities/tasks#associating-task-related-messages (2025-11-25)
 */
function relatedTo(taskId: string, { _meta }: JsonObject): JsonObject {
  return { ...(isObject(_meta) && _meta), [MetaKey.relatedTask]: { taskId } };
}

function toOutcome(error: unknown): Outcome {
  if (error instanceof CancelledError) return { status: "cancelled" };
  const {
    wireCode: code,
    message,
    data,
  } = error instanceof RpcError
    ? error
    : new RpcError(WireCode.internal, "The server did not finish the task.");
  return { status: "failed", error: { code, message, ...(data !== undefined && { data }) } };
}

function pickMessage(task: Task | undefined): Pick<Task, "statusMessage"> {
  return task?.statusMessage === undefined ? {} : { statusMessage: task.statusMessage };
}
