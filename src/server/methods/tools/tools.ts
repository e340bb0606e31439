import { CapabilityError, type RpcError } from "../../../errors.ts";
import type { MaybePromise } from "../../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { missingOf } from "../../../protocol/model/identity.ts";
import { tasksCapability } from "../../../protocol/model/task.ts";
import { invalidParams } from "../../../protocol/wire-error.ts";
import { mayUse } from "../../access.ts";
import { findMount } from "../../catalog/mounts.ts";
import type { CompiledTool } from "../../define/tool.ts";
import { missingCapability } from "../../errors/capability-error.ts";
import type { MethodCall } from "../method-call.ts";
import { runTool } from "./run-tool.ts";

export function callTool(request: MethodCall): MaybePromise<JsonObject> {
  const { catalog, call, ctx } = request;
  const name = call.params.name as string;
  const tool = catalog.tools.get(name);
  if (tool === undefined) return callMounted(request, name);
  const usable = mayUse(tool.options, ctx);
  if (usable === true) return callUsable(request, tool);
  return Promise.resolve(usable).then((isUsable) => {
    if (!isUsable) throw unknownTool(name);
    return callUsable(request, tool);
  });
}

function callUsable(request: MethodCall, tool: CompiledTool): MaybePromise<JsonObject> {
  assertNeeds(request, tool);
  const { task = "never" } = tool.options;
  const isTask = task !== "never" || request.call.params.task !== undefined;
  return isTask ? runAsTask(request, tool) : runTool(request, tool);
}

async function runAsTask(request: MethodCall, tool: CompiledTool): Promise<JsonObject> {
  const { answerWithTaskOrResult } = await import("../../tasks/task-or-result.ts");
  return answerWithTaskOrResult(request, tool);
}

/** Refuses a client that lacks capabilities that the tool needs, or tasks where it runs only as one. */
function assertNeeds({ call }: MethodCall, { options, listed }: CompiledTool): void {
  const needsTasks = options.task === "required" && call.revision.tasks === "by-receiver";
  if (options.needs === undefined && !needsTasks) return;
  const needed = [...(options.needs ?? []), ...(needsTasks ? [tasksCapability] : [])];
  const missing = missingOf(needed, call.client.capabilities);
  if (missing.length > 0)
    throw missingCapability(new CapabilityError(missing, "client", `Tool "${listed.name}"`), call);
}

async function callMounted(request: MethodCall, name: string): Promise<JsonObject> {
  const found = findMount(request.catalog.mounts, name, "tools");
  if (found === undefined) throw unknownTool(name);
  const { callMountedTool } = await import("./mounted-tools.ts");
  return callMountedTool(request, found.mounted, found.name);
}

function unknownTool(name: string): RpcError {
  return invalidParams(`Unknown tool: ${name}`);
}
