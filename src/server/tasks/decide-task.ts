import { CapabilityError, RpcError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import type { CompiledTool } from "../define/compile-tool.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { missingCapability } from "../to-rpc-error.ts";

/** Whether a call becomes a task; throws when it would have to and can't, or may not and is asked to. */
export function becomesTask(request: MethodCall, tool: CompiledTool): boolean {
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
  const isDeclared = hasCapability(call.client.capabilities, tasksCapability);
  if (task === "required" && !isDeclared) {
    const what = `Tool "${tool.listed.name}"`;
    throw missingCapability(new CapabilityError(tasksCapability, "client", what), call);
  }
  return task !== "never" && isDeclared;
}

function decideBySender({ catalog, call }: MethodCall, tool: CompiledTool): boolean {
  const { task = "never" } = tool.options;
  const isWanted = isObject(call.params.task);
  // Who has no tasks at all takes no notice of such a wish.
  if (!hasCapability(catalog.capabilities, tasksCapability)) return false;
  if (isWanted && task === "never") throw refused(tool, "can't be called as a task");
  if (!isWanted && task === "required") throw refused(tool, "must be called as a task");
  return isWanted;
}

function refused(tool: CompiledTool, why: string): RpcError {
  return new RpcError(WireCode.methodNotFound, `Tool "${tool.listed.name}" ${why}.`);
}
