import { ReplayError, RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { invalidParams, WireCode } from "../../protocol/wire-error.ts";

import type { State } from "../../state/state.ts";
import type { ClaimedTask, TaskChange } from "../../state/task-store.ts";
import type { Catalog } from "../catalog.ts";
import { CallContext } from "../context/call-context.ts";
import { assertClientSupports, isInputRequired } from "../define/input-required.ts";
import { runTool } from "../methods/run-tool.ts";
import type { OpenQuestions } from "../replay/ask-strategy.ts";
import { emptyRecord, Journal } from "../replay/journal.ts";
import { toRpcError } from "../to-rpc-error.ts";
import { Lease } from "./lease.ts";
import { fromWireKeys, toWireKey } from "./question-keys.ts";
import type { TaskRecord, TaskWork } from "./task-call.ts";
import { TaskCall } from "./task-call.ts";
import { TaskReplay } from "./task-replay.ts";

export interface TaskRunParts {
  readonly catalog: Catalog;
  readonly state: State;
  readonly leaseMs: number;
}

/** Runs of one task that may begin and come to nothing, as when each ends its process. */
const maxAttempts = 5;

/** One run of a task's handler, from its claim to what is kept of it. */
export class TaskRun {
  readonly #parts: TaskRunParts;
  readonly #claimed: ClaimedTask;
  readonly #lease: Lease;
  readonly #journal: Journal;
  #record: TaskRecord;
  #keeping: Promise<unknown> = Promise.resolve();

  constructor(parts: TaskRunParts, claimed: ClaimedTask) {
    this.#parts = parts;
    this.#claimed = claimed;
    this.#lease = new Lease(parts.state.tasks, claimed, parts.leaseMs);
    this.#record = (claimed.task.record ?? {}) as TaskRecord;
    this.#journal = new Journal(this.#record.journal ?? emptyRecord, fromWireKeys(claimed.task.answers));
  }

  get id(): string {
    return this.#claimed.id;
  }

  /** Stops the handler, and whatever it says from now on is not kept. */
  stop(reason: string): void {
    this.#lease.end(reason);
  }

  /** Stops the handler and leaves the task to another worker, at once. */
  async giveBack(): Promise<void> {
    await this.#lease.giveBack();
  }

  async run(): Promise<void> {
    const { catalog } = this.#parts;
    try {
      const change = await this.#outcome();
      if (change) await this.#lease.save(this.#toJson(change));
    } catch (cause) {
      if (!this.#lease.signal.aborted)
        catalog.settings.log({ message: `Task ${this.id} can't be kept`, cause });
    } finally {
      this.#lease.end("the run is over");
    }
  }

  /** What is to be kept of the run; undefined when it is no longer ours. */
  async #outcome(): Promise<TaskChange | undefined> {
    const { attempts = 0 } = this.#record;
    if (attempts >= maxAttempts) return failed(new RpcError(WireCode.internal, "The task was given up."));
    if (!(await this.#keep({ attempts: attempts + 1 }))) return undefined;
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
      const result = await runTool({ catalog, call, ctx: this.#createContext(call), suspend }, tool);
      if (this.#lease.signal.aborted) return undefined;
      if (open) return this.#ask(open.inputRequests, { journal: open.record });
      if (isInputRequired(result)) {
        assertClientSupports(call.client.capabilities, result);
        return this.#askByHand(result);
      }
      return { ended: { status: "completed", result } };
    } catch (error) {
      if (this.#lease.signal.aborted) return undefined;
      return failed(toRpcError(error, call, this.#parts.catalog.settings.log));
    }
  }

  /** What can't be kept is a failure, lest the task be waited for in vain. */
  #toJson(change: TaskChange): TaskChange {
    try {
      return JSON.parse(JSON.stringify(change)) as TaskChange;
    } catch (cause) {
      this.#parts.catalog.settings.log({ message: `What came of task ${this.id} is no JSON`, cause });
      return failed(new RpcError(WireCode.internal, "What came of the task can't be kept: it is no JSON."));
    }
  }

  #createCall(): TaskCall | undefined {
    const { catalog, state } = this.#parts;
    const { task, id } = this.#claimed;
    const work = task.work as unknown as TaskWork;
    const revision = catalog.settings.supported.find(work.revision);
    if (revision === undefined) return undefined;
    const wantsProgress = isObject(work.params._meta) && work.params._meta.progressToken !== undefined;
    return new TaskCall(work, {
      taskId: id,
      revision,
      inputResponses: fromWireKeys(task.answers),
      state,
      signal: this.#lease.signal,
      onProgress: async ({ message, ...progress }) => {
        // A run comes again by what the one before has told.
        if (Number(progress.progress) <= Number(task.progress?.progress)) return;
        await this.#lease.report({
          ...(wantsProgress && { progress: { ...progress, ...(message !== undefined && { message }) } }),
          ...(typeof message === "string" && { statusMessage: message }),
        });
      },
    });
  }

  #createContext(call: TaskCall): CallContext {
    const asking = new TaskReplay(this.#journal, () => this.#keepOnces());
    return new CallContext(call, this.#parts.catalog.settings.logLevel, {
      asking,
      requestState: this.#record.text,
      task: { id: this.id, status: (message) => this.#lease.report({ statusMessage: String(message) }) },
    });
  }

  /** What was done once is known to the next run before this one goes on. */
  async #keepOnces(): Promise<void> {
    if (await this.#keep({ journal: this.#journal.toRecord() })) return;
    throw new RpcError(WireCode.internal, "The task is no longer ours.");
  }

  /** One after the other: what a store is told at the same time, it may take in any order. */
  #keep(record: TaskRecord): Promise<boolean> {
    this.#record = { ...this.#record, ...record };
    const { leaseMs } = this.#parts;
    const keeping = this.#keeping.then(() =>
      this.#lease.save({ record: this.#record as JsonObject, leaseMs }),
    );
    this.#keeping = keeping.catch(() => {});
    return keeping;
  }

  #askByHand({ inputRequests, requestState }: JsonObject): TaskChange {
    const text = typeof requestState === "string" ? requestState : undefined;
    const asks = isObject(inputRequests) ? inputRequests : {};
    const journal = this.#journal.toRecord(this.#journal.rounds + 1);
    return this.#ask(asks, { journal, text });
  }

  #ask(asks: JsonObject, record: TaskRecord): TaskChange {
    const { maxRounds } = this.#parts.catalog.settings;
    if ((record.journal?.rounds ?? 0) > maxRounds) {
      const problem = `The handler asked more than ${maxRounds} times; ask more at once, or raise maxRounds.`;
      return failed(new RpcError(WireCode.internal, new ReplayError("rounds", problem).message));
    }
    const { answers } = this.#claimed.task;
    const entries = Object.entries(asks).map(([key, ask]) => [toWireKey(key, answers), ask]);
    return { asks: Object.fromEntries(entries), record: record as JsonObject };
  }
}

function failed(error: RpcError): TaskChange {
  const { code, message, data } = error.toErrorObject();
  return {
    ended: { status: "failed", error: { code, message, ...(data !== undefined && { data }) } },
    statusMessage: message,
  };
}
