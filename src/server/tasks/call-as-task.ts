import type { JsonObject } from "../../lib/json.ts";
import { CallContext } from "../context/call-context.ts";
import type { CompiledTool } from "../define/compile-tool.ts";
import { checkArguments } from "../define/tool-arguments.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { runTool } from "../methods/run-tool.ts";
import { createTask } from "./create-task.ts";
import { becomesTask } from "./decide-task.ts";

/** Answers a call that may become a task. */
export async function callAsTask(asked: MethodCall, tool: CompiledTool): Promise<JsonObject> {
  if (!becomesTask(asked, tool)) return runTool(asked, tool);
  // Whoever asked for a task gets one, whatever comes of it.
  if (asked.call.revision.tasks === "by-sender") return createTask(asked, tool);
  if (tool.options.detaches) return runUntilDetached(asked, tool);
  // What was begun without a task, before the client said that it knows them, goes on without.
  if (asked.call.params.requestState !== undefined) return runTool(asked, tool);
  const checked = await checkArguments(tool, asked.call.params.arguments ?? {});
  return checked.ok ? createTask(asked, tool) : runTool(asked, tool);
}

function runUntilDetached(asked: MethodCall, tool: CompiledTool): Promise<JsonObject> {
  const ctx = new CallContext(asked.call, asked.catalog.settings.logLevel, { mayDetach: true });
  return runTool({ ...asked, ctx, detach: (journal) => createTask(asked, tool, journal) }, tool);
}
