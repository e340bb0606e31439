import { RpcError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import { invalidParams, WireCode } from "../../protocol/wire-error.ts";
import { CallContext } from "../context/call-context.ts";
import type { CompiledTool } from "../define/tool.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { checkArguments } from "../methods/tools/check-arguments.ts";
import { runTool } from "../methods/tools/run-tool.ts";
import { createTask } from "./create-task.ts";

/** Answers a call of a tool that supports tasks: with a task that was created, or with the result. */
export async function answerWithTaskOrResult(request: MethodCall, tool: CompiledTool): Promise<JsonObject> {
  if (!becomesTask(request, tool)) return runTool(request, tool);
  // A caller that asked for a task gets one, even if its arguments are invalid.
  if (request.call.revision.tasks === "by-sender") return createTask(request, tool);
  if (tool.options.detaches) return runUntilDetached(request, tool);
  // A call whose first round was not a task, because the client had not declared tasks, continues without one.
  if (request.call.params.requestState !== undefined) return runTool(request, tool);
  const checked = await checkArguments(tool, request.call.params.arguments ?? {});
  return checked.ok ? createTask(request, tool) : runTool(request, tool);
}

function runUntilDetached(request: MethodCall, tool: CompiledTool): MaybePromise<JsonObject> {
  const ctx = new CallContext(request.call, request.catalog.settings.logLevel, { mayDetach: true });
  return runTool({ ...request, ctx, detach: (journal) => createTask(request, tool, journal) }, tool);
}

/**
 * Decides whether a call becomes a task. Throws if the tool requires a task and the client can't have one, or the reverse.
 *
 * basic/utilities/tasks#tool-level-negotiation (2025-11-25)
 */
function becomesTask(request: MethodCall, tool: CompiledTool): boolean {
  switch (request.call.revision.tasks) {
    case "by-receiver":
      return decideByReceiver(request, tool);
    case "by-sender":
      return decideBySender(request, tool);
    case "none":
      if (tool.options.task === "required") {
        const { version } = request.call.revision;
        const why = `runs only as a task, and revision ${version} of the protocol has none`;
        throw new RpcError(WireCode.invalidRequest, `Tool "${tool.listed.name}" ${why}.`);
      }
      return false;
  }
}

function decideByReceiver({ call }: MethodCall, tool: CompiledTool): boolean {
  const { task = "never" } = tool.options;
  return task !== "never" && hasCapability(call.client.capabilities, tasksCapability);
}

function decideBySender({ catalog, call }: MethodCall, tool: CompiledTool): boolean {
  const { task = "never" } = tool.options;
  // basic/utilities/tasks#task-support-and-handling (2025-11-25): a server without the capability ignores `task`.
  if (!hasCapability(catalog.capabilities, tasksCapability)) return false;
  const isWanted = wantsTask(call.params.task);
  if (isWanted && task === "never") throw refused(tool, "can't be called as a task");
  if (!isWanted && task === "required") throw refused(tool, "must be called as a task");
  return isWanted;
}

/** Throws for a `task` that is not what the revision has. Many clients write null for an absent member. */
function wantsTask(task: unknown): boolean {
  if (task == null) return false;
  if (!isObject(task)) throw invalidParams("task must be an object.");
  if (task.ttl != null && typeof task.ttl !== "number")
    throw invalidParams("task.ttl must be a number of milliseconds.");
  return true;
}

function refused(tool: CompiledTool, why: string): RpcError {
  return new RpcError(WireCode.methodNotFound, `Tool "${tool.listed.name}" ${why}.`);
}
