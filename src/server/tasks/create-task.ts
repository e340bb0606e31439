import { toHolder } from "../../contract/caller/holder.ts";
import { toOwner } from "../../contract/caller/principal.ts";
import { RpcError } from "../../errors.ts";
import { randomHex } from "../../lib/encoding/random-token.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import type { CompiledTool } from "../define/tool.ts";
import type { MethodCall } from "../methods/method-call.ts";
import type { JournalRecord } from "../replay/journal.ts";
import { taskStoreOf, toDetailedTask } from "./find-task.ts";
import { toQueueName, toWork } from "./task-record.ts";
import { startWorker } from "./worker/task-worker.ts";

const hour = 3_600_000;
const shortestTtlMs = 1_000;

/**
 * Stores a call as a task and makes the result that names it. `journal` is the record of a handler that detached.
 *
 * ext-tasks/tasks#task-creation (draft)
 */
export async function createTask(
  request: MethodCall,
  tool: CompiledTool,
  journal?: JournalRecord,
): Promise<JsonObject> {
  const { catalog, call } = request;
  const { maxPerOwner = 1000 } = catalog.settings.tasks;
  const tasks = taskStoreOf(request);
  const task = await tasks.create(
    {
      id: createTaskId(),
      queue: toQueueName(catalog.settings.info.name, call.path),
      owner: toOwner(call.principal),
      holder: toHolder(call),
      lister: toOwner(call.principal),
      ttlMs: chooseTtl(request, tool),
      pollIntervalMs: tool.options.pollIntervalMs ?? 1000,
      work: toWork(call) as unknown as JsonObject,
      ...(journal && { record: { journal } }),
    },
    maxPerOwner,
  );
  if (task === undefined) {
    throw new RpcError(
      WireCode.internal,
      `You have ${maxPerOwner} unfinished tasks; wait for some, or cancel them.`,
    );
  }
  startWorker(request);
  return { resultType: "task", ...toDetailedTask(task) };
}

/**
 * The time to live: the tool's, or what the client asked for, up to a limit.
 *
 * basic/utilities/tasks#ttl-and-resource-management (2025-11-25)
 */
function chooseTtl({ catalog, call }: MethodCall, tool: CompiledTool): number {
  const { maxTtlMs = 24 * hour } = catalog.settings.tasks;
  const own = tool.options.ttlMs ?? hour;
  const wanted = call.revision.tasks === "by-sender" && isObject(call.params.task) && call.params.task.ttl;
  if (typeof wanted !== "number" || Number.isNaN(wanted)) return own;
  return Math.round(Math.min(Math.max(wanted, shortestTtlMs), Math.max(maxTtlMs, own)));
}

/**
 * A random id of 160 bits: where callers have no principal, knowing the id is the only access check.
 *
 * basic/utilities/tasks#task-isolation-and-access-control (2025-11-25)
 */
function createTaskId(): string {
  return randomHex(20);
}
