import type { JsonObject } from "../../lib/json.ts";
import { CallContext } from "../context/call-context.ts";
import type { CompiledTool } from "../define/compile-tool.ts";
import { checkArguments } from "../define/tool-arguments.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { runTool } from "../methods/run-tool.ts";
import { createTask } from "./create-task.ts";
import { becomesTask } from "./decide-task.ts";

/** Answers a call that may become a task. */
export async function callAsTask(request: MethodCall, tool: CompiledTool): Promise<JsonObject> {
  if (!becomesTask(request, tool)) return runTool(request, tool);
  // A caller that asked for a task gets one, whatever comes of it.
  if (request.call.revision.tasks === "by-sender") return createTask(request, tool);
  if (tool.options.detaches) return runUntilDetached(request, tool);
  // What was begun without a task, before the client said that it knows them, goes on without.
  if (request.call.params.requestState !== undefined) return runTool(request, tool);
  const checked = await checkArguments(tool, request.call.params.arguments ?? {});
  return checked.ok ? createTask(request, tool) : runTool(request, tool);
}

function runUntilDetached(request: MethodCall, tool: CompiledTool): Promise<JsonObject> {
  const ctx = new CallContext(request.call, request.catalog.settings.logLevel, { mayDetach: true });
  return runTool({ ...request, ctx, detach: (journal) => createTask(request, tool, journal) }, tool);
}
