import { ReplayError, RpcError } from "../../../errors.ts";
import { Mutex } from "../../../lib/async/mutex.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { readProgressToken } from "../../../protocol/meta.ts";
import { invalidParams, WireCode } from "../../../protocol/wire-error.ts";

import type { State } from "../../../state/state.ts";
import type { ClaimedTask, TaskChange } from "../../../state/task-store.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { CallContext } from "../../context/call-context.ts";
import { isInputRequired } from "../../define/input-required.ts";
import { toRpcError } from "../../errors/to-rpc-error.ts";
import { runTool } from "../../methods/tools/run-tool.ts";
import type { OpenQuestions } from "../../replay/ask-strategy.ts";
import { assertClientSupports } from "../../replay/assert-may-ask.ts";
import { emptyRecord, Journal } from "../../replay/journal.ts";
import { TaskCall } from "../task-call.ts";
import { TaskLogWriter } from "../task-log.ts";
import type { RunRecord, TaskWork } from "../task-record.ts";
import { Lease } from "./lease.ts";
import { fromWireKeys, toWireKey } from "./question-keys.ts";
import { TaskReplay } from "./task-replay.ts";

export interface TaskExecutionParts {
  readonly catalog: Catalog;
  readonly state: State;
  readonly leaseMs: number;
}

/** The number of runs without a result after which a task fails, for a handler that ends its process. */
const maxAttempts = 5;

/** The execution of a claimed task: one run of its handler, up to the change that is saved. */
export class TaskExecution {
  readonly #parts: TaskExecutionParts;
  readonly #claimed: ClaimedTask;
  readonly #lease: Lease;
  readonly #journal: Journal;
  readonly #log: TaskLogWriter;
  #record: RunRecord;
  readonly #saving = new Mutex();

  constructor(parts: TaskExecutionParts, claimed: ClaimedTask) {
    this.#parts = parts;
    this.#claimed = claimed;
    this.#lease = new Lease(parts.state.tasks, claimed, parts.leaseMs);
    this.#record = (claimed.task.record ?? {}) as RunRecord;
    this.#journal = new Journal(this.#record.journal ?? emptyRecord, fromWireKeys(claimed.task.answers));
    this.#log = new TaskLogWriter(parts.state.events, claimed.id, this.#record.logged ?? 0);
  }

  get id(): string {
    return this.#claimed.id;
  }

  /** Stops the handler and discards its result. */
  stop(reason: string): void {
    this.#lease.end(reason);
  }

  /** Stops the handler and releases the task to another worker at once. */
  async giveBack(): Promise<void> {
    await this.#lease.giveBack();
  }

  async run(): Promise<void> {
    const { catalog } = this.#parts;
    try {
      const change = await this.#runHandler();
      // No run comes after the last one, so that its record is not needed any more.
      if (change) await this.#lease.save(this.#toJson(change.ended ? { ...change, record: {} } : change));
    } catch (cause) {
      if (!this.#lease.signal.aborted)
        catalog.settings.log({ message: `Task ${this.id} can't be saved`, cause });
    } finally {
      this.#lease.end("the run is over");
    }
  }

  /** The change to save after the run; undefined if the lease was lost. */
  async #runHandler(): Promise<TaskChange | undefined> {
    const { attempts = 0 } = this.#record;
    if (attempts >= maxAttempts)
      return failed(
        new RpcError(WireCode.internal, "The task was given up after several runs without a result."),
      );
    if (!(await this.#saveRecord({ attempts: attempts + 1 }))) return undefined;
    const call = this.#createCall();
    if (call === undefined)
      return failed(
        new RpcError(WireCode.internal, "The server no longer speaks the revision of this task."),
      );
    try {
      let open: OpenQuestions | undefined;
      const suspend = (questions: OpenQuestions) => {
        open = questions;
        return { resultType: "input_required" };
      };
      const { catalog } = this.#parts;
      const tool = catalog.tools.get(String(call.params.name));
      if (tool === undefined) return failed(invalidParams(`Unknown tool: ${call.params.name}`));
      const run = () => runTool({ catalog, call, ctx: this.#createContext(call), suspend }, tool);
      const { telemetry } = catalog.settings;
      const result = await (telemetry ? telemetry.runTask(call, run) : run());
      if (this.#lease.signal.aborted) return undefined;
      if (open) return this.#ask(open.inputRequests, { journal: open.record });
      if (isInputRequired(result)) {
        assertClientSupports(call.client.capabilities, result);
        return this.#askInputRequired(result);
      }
      return { ended: { status: "completed", result } };
    } catch (error) {
      if (this.#lease.signal.aborted) return undefined;
      return failed(await toRpcError(error, call, this.#parts.catalog.settings.log));
    }
  }

  /** Converts a change to JSON. One that can't be converted fails the task, because its waiters need an end. */
  #toJson(change: TaskChange): TaskChange {
    try {
      return JSON.parse(JSON.stringify(change)) as TaskChange;
    } catch (cause) {
      this.#parts.catalog.settings.log({ message: `The result of task ${this.id} is not JSON`, cause });
      return failed(
        new RpcError(WireCode.internal, "The result of the task can't be stored: it is not JSON."),
      );
    }
  }

  #createCall(): TaskCall | undefined {
    const { catalog, state } = this.#parts;
    const { task, id } = this.#claimed;
    const work = task.work as unknown as TaskWork;
    const revision = catalog.settings.supported.find(work.revision);
    if (revision === undefined) return undefined;
    const wantsProgress = readProgressToken(work.params) !== undefined;
    return new TaskCall(work, {
      taskId: id,
      revision,
      inputResponses: fromWireKeys(task.answers),
      state,
      signal: this.#lease.signal,
      onProgress: async ({ message, ...progress }) => {
        // A replay repeats the progress of the run before.
        if (Number(progress.progress) <= Number(task.progress?.progress)) return;
        await this.#lease.report({
          ...(wantsProgress && { progress: { ...progress, ...(message !== undefined && { message }) } }),
          ...(typeof message === "string" && { statusMessage: message }),
        });
      },
      onLog: async (message) => {
        // In other revisions log messages belong to a request, and nobody waits for the task with one.
        // ext-tasks/tasks#task-status-notifications (draft)
        if (revision.tasks === "by-sender") await this.#log.write(message);
      },
    });
  }

  #createContext(call: TaskCall): CallContext {
    const asking = new TaskReplay(this.#journal, () => this.#saveOnceResults());
    const { logLevel } = this.#claimed.task.work as unknown as TaskWork;
    return new CallContext(call, logLevel ?? this.#parts.catalog.settings.logLevel, {
      asking,
      requestState: this.#record.text,
      task: { id: this.id, status: (message) => this.#lease.report({ statusMessage: String(message) }) },
    });
  }

  /** Saves the results of `once` before the handler continues, so that the next run has them. */
  async #saveOnceResults(): Promise<void> {
    if (await this.#saveRecord({ journal: this.#journal.toRecord() })) return;
    throw new RpcError(WireCode.internal, "Another worker has taken the task over.");
  }

  /** Saves the record. Saves run one after the other, because a store may apply concurrent ones in any order. */
  #saveRecord(record: RunRecord): Promise<boolean> {
    this.#record = { ...this.#record, ...record };
    const { leaseMs } = this.#parts;
    return this.#saving.run(() => this.#lease.save({ record: this.#record as JsonObject, leaseMs }));
  }

  #askInputRequired({ inputRequests, requestState }: JsonObject): TaskChange {
    const text = typeof requestState === "string" ? requestState : undefined;
    const asks = isObject(inputRequests) ? inputRequests : {};
    const journal = this.#journal.toRecord(this.#journal.rounds + 1);
    return this.#ask(asks, { journal, text });
  }

  #ask(asks: JsonObject, record: RunRecord): TaskChange {
    const { maxRounds } = this.#parts.catalog.settings;
    if ((record.journal?.rounds ?? 0) > maxRounds) {
      const problem = `The handler asked more than ${maxRounds} times; ask more at once, or raise maxRounds.`;
      return failed(new RpcError(WireCode.internal, new ReplayError("rounds", problem).message));
    }
    const { answers } = this.#claimed.task;
    const entries = Object.entries(asks).map(([key, ask]) => [toWireKey(key, answers), ask]);
    const left: RunRecord = { ...record, logged: this.#log.count };
    return { asks: Object.fromEntries(entries), record: left as JsonObject };
  }
}

function failed(error: RpcError): TaskChange {
  const { code, message, data } = error.toErrorObject();
  return {
    ended: { status: "failed", error: { code, message, ...(data !== undefined && { data }) } },
    statusMessage: message,
  };
}
