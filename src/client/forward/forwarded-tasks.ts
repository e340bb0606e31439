import type { Call } from "../../contract/call.ts";
import { toOwner } from "../../contract/caller/principal.ts";
import type { MountTasks } from "../../contract/mount/mount-tasks.ts";
import type { JsonObject } from "../../lib/json.ts";
import { jsonSize } from "../../lib/json-size.ts";
import { LimitCode, limitReached } from "../../protocol/limit-error.ts";
import type { DetailedTask } from "../../protocol/model/task.ts";
import { invalidParams, methodNotFound } from "../../protocol/wire-error.ts";
import { ForwardedTask } from "./forwarded-task.ts";
import type { HeldCall } from "./held-call.ts";
import { OwnedEntries } from "./owned-entries.ts";

const maxRunning = 1_000;
const ended = { count: 1_000, bytes: 64 * 1024 * 1024 };
/** The time after which a caller without room tries again. */
const retryMs = 5_000;

/** The calls that callers see as tasks. They live as long as this process; of those that have ended, the ones that were read go first. */
export class ForwardedTasks implements MountTasks {
  readonly #tasks = new OwnedEntries<ForwardedTask>(maxRunning, (task) => task.cancel(), ended);

  /** Makes a task of a call; returns the result that names it. */
  create(held: HeldCall): JsonObject {
    let id: string | undefined;
    const task = new ForwardedTask(held, (outcome) => {
      if (id !== undefined) this.#tasks.end(id, jsonSize(outcome, ended.bytes));
    });
    id = this.#tasks.add(held.call, task, task.ttlMs);
    if (id === undefined) {
      task.cancel();
      throw limitReached(LimitCode.overloaded, "Too many calls run as tasks", retryMs);
    }
    held.passTo(task);
    return { resultType: "task", ...task.describe(id) };
  }

  has({ principal, params }: Call): boolean {
    return this.#tasks.get(toOwner(principal), params.taskId) !== undefined;
  }

  list({ principal }: Call): readonly DetailedTask[] {
    return this.#tasks.of(toOwner(principal)).map(([id, task]) => task.describe(id));
  }

  async request(call: Call): Promise<JsonObject> {
    const { method, params, principal, revision } = call;
    const id = String(params.taskId);
    const task = this.#tasks.get(toOwner(principal), id);
    if (task === undefined) throw invalidParams("Task not found; it may have expired.");
    switch (method) {
      case "tasks/get":
        // The answer of 2026-07-28 has the result; elsewhere tasks/result is asked for it.
        if (revision.tasks === "by-receiver") this.#tasks.markRead(id);
        return task.describe(id);
      case "tasks/result":
        return task.wait(id, call).finally(() => call.signal.aborted || this.#tasks.markRead(id));
      case "tasks/update":
        task.answer(params.inputResponses);
        return {};
      case "tasks/cancel":
        if (task.hasEnded && revision.tasks === "by-sender")
          throw invalidParams(`The task can't be cancelled: it is ${task.describe(id).status}.`);
        task.cancel();
        return task.describe(id);
    }
    throw methodNotFound(method);
  }

  close(): void {
    for (const task of this.#tasks.clear()) task.cancel();
  }
}
