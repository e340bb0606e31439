import { untilAborted } from "../../contract/cancelled-error.ts";
import { RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import { type DetailedTask, isTerminal } from "../../protocol/model/task.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidParams, WireCode } from "../../protocol/wire-error.ts";

import type { Ask } from "./ask.ts";
import type { Asks } from "./asks.ts";

export interface ReceivedTasksParts {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly asks: Asks;
  notify(method: string, params: JsonObject): Promise<void>;
  /** Makes an error for the server of what a handler threw. */
  toRpcError(method: string, error: unknown, signal: AbortSignal): RpcError;
}

type Outcome = { readonly result: JsonObject } | { readonly error: RpcError };

type MethodHandler = (tasks: ReceivedTasks, ask: Ask) => JsonObject | Promise<JsonObject>;

interface Received {
  task: DetailedTask;
  readonly expiresAt: number;
  readonly stop: AbortController;
  readonly outcome: Promise<Outcome>;
  /** The length of the question. */
  readonly size: number;
}

const longestTtlMs = 3_600_000;
const maxTasks = 100;
/** Characters of all questions that are tasks. */
const maxTaskChars = 16 * 1024 * 1024;
/** Notifications on their way at once: each has a connection over HTTP. */
const maxUnsent = 16;
const noImplementation = { name: "", version: "" };

/**
 * Questions of the server that have become tasks of this client.
 *
 * basic/utilities/tasks#client-capabilities (2025-11-25)
 */
export class ReceivedTasks {
  static readonly #methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
    ["tasks/get", (tasks, { method, params }) => tasks.#encode(method, tasks.#find(params).task)],
    ["tasks/list", (tasks, { method }) => tasks.#list(method)],
    ["tasks/cancel", (tasks, { method, params }) => tasks.#cancel(method, params)],
    ["tasks/result", (tasks, ask) => tasks.#result(ask)],
  ]);
  readonly #parts: ReceivedTasksParts;
  readonly #tasks = new Map<string, Received>();
  #unsent = 0;

  constructor(parts: ReceivedTasksParts) {
    this.#parts = parts;
  }

  /** Answers a request about a task, or one that is to become a task; undefined for any other. */
  answer(ask: Ask): Promise<JsonObject> | undefined {
    const { method, params } = ask;
    const handler = ReceivedTasks.#methodHandlers.get(method);
    if (handler) return Promise.resolve(handler(this, ask));
    const capability = this.#parts.revision.methods.get(method)?.taskCapability;
    const isTask = isObject(params.task) && capability && hasCapability(this.#parts.capabilities, capability);
    return isTask ? Promise.resolve(this.#begin(ask)) : undefined;
  }

  /** Stops all tasks: the connection is gone. */
  close(): void {
    for (const { stop } of this.#tasks.values()) stop.abort("the connection is closed");
    this.#tasks.clear();
  }

  #begin({ method, params: { task: wish, ...params } }: Ask): JsonObject {
    const alive = this.#alive();
    const size = JSON.stringify(params).length;
    const kept = alive.reduce((sum, received) => sum + received.size, size);
    if (alive.length >= maxTasks || kept > maxTaskChars) {
      const limit = `${maxTasks} tasks and ${maxTaskChars} characters of questions`;
      throw new RpcError(WireCode.internal, `This client keeps no more than ${limit}.`);
    }
    const { ttl } = wish as JsonObject;
    const ttlMs = Math.min(typeof ttl === "number" && ttl > 0 ? ttl : longestTtlMs, longestTtlMs);
    const now = new Date().toISOString();
    const taskId = crypto.randomUUID();
    const task: DetailedTask = {
      taskId,
      status: "working",
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs,
      pollIntervalMs: 1000,
    };
    const stop = new AbortController();
    const outcome = this.#run({ method, params, signal: stop.signal }, taskId);
    this.#tasks.set(taskId, { task, expiresAt: Date.now() + ttlMs, stop, outcome, size });
    return this.#encode("tools/call", { resultType: "task", ...task });
  }

  async #run(ask: Ask, taskId: string): Promise<Outcome> {
    try {
      const result = await this.#parts.asks.answer(ask);
      this.#end(taskId, { status: "completed" });
      return { result };
    } catch (cause) {
      const error = this.#parts.toRpcError(ask.method, cause, ask.signal);
      this.#end(taskId, { status: "failed", statusMessage: error.message });
      return { error };
    }
  }

  #end(taskId: string, change: Pick<DetailedTask, "status" | "statusMessage">): void {
    const received = this.#tasks.get(taskId);
    if (received === undefined || isTerminal(received.task)) return;
    received.task = { ...received.task, ...change, lastUpdatedAt: new Date().toISOString() };
    void this.#notifyStatus(received.task);
  }

  /** Notifies the server of a status, unless it does not take these: a server that misses one polls. */
  async #notifyStatus(task: DetailedTask): Promise<void> {
    if (this.#unsent >= maxUnsent) return;
    const { revision, notify } = this.#parts;
    const method = "notifications/tasks/status";
    this.#unsent++;
    try {
      await notify(method, revision.encode.params(method, { ...task }));
    } catch {
      // The connection is gone, or the server polls.
    } finally {
      this.#unsent--;
    }
  }

  #list(method: string): JsonObject {
    return this.#encode(method, { tasks: this.#alive().map(({ task }) => task) });
  }

  #cancel(method: string, params: JsonObject): JsonObject {
    const received = this.#find(params);
    const { taskId, status } = received.task;
    if (isTerminal(received.task)) throw invalidParams(`The task can't be cancelled: it is ${status}.`);
    this.#end(taskId, { status: "cancelled" });
    received.stop.abort("the server cancelled the task");
    return this.#encode(method, received.task);
  }

  async #result({ method, params, signal }: Ask): Promise<JsonObject> {
    const received = this.#find(params);
    const cancelled = new Promise<never>((_, reject) => {
      const onAbort = () => reject(new RpcError(WireCode.invalidRequest, "The task was cancelled."));
      if (received.stop.signal.aborted) onAbort();
      else received.stop.signal.addEventListener("abort", onAbort, { once: true });
    });
    const outcome = await untilAborted(Promise.race([received.outcome, cancelled]), method, signal);
    if ("error" in outcome) throw outcome.error;
    const meta = isObject(outcome.result._meta) ? outcome.result._meta : {};
    const { taskId } = received.task;
    return { ...outcome.result, _meta: { ...meta, [MetaKey.relatedTask]: { taskId } } };
  }

  #find({ taskId }: JsonObject): Received {
    this.#alive();
    const received = typeof taskId === "string" ? this.#tasks.get(taskId) : undefined;
    if (received) return received;
    throw invalidParams("Task not found; it may have expired.");
  }

  /** The tasks that have not expired; the others are stopped here. */
  #alive(): readonly Received[] {
    for (const [id, { expiresAt, stop }] of this.#tasks) {
      if (expiresAt > Date.now()) continue;
      this.#tasks.delete(id);
      stop.abort("the task has expired");
    }
    return [...this.#tasks.values()];
  }

  #encode(method: string, result: object): JsonObject {
    return this.#parts.revision.encode.result(method, { ...result }, noImplementation);
  }
}
