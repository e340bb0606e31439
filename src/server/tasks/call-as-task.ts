import type { JsonObject } from "../../protocol/json.ts";
import { checkArguments } from "../arguments.ts";
import { CallContext } from "../call-context.ts";
import type { CompiledTool } from "../compile-tool.ts";
import type { Asked } from "../handlers/handler.ts";
import { runTool } from "../handlers/run-tool.ts";
import { beginTask } from "./begin-task.ts";
import { becomesTask } from "./decide-task.ts";

/** Answers a call that may become a task. */
export async function callAsTask(asked: Asked, tool: CompiledTool): Promise<JsonObject> {
  if (!becomesTask(asked, tool)) return runTool(asked, tool);
  // Whoever asked for a task gets one, whatever comes of it.
  if (asked.call.revision.tasks === "by-sender") return beginTask(asked, tool);
  if (tool.options.detaches) return runUntilDetached(asked, tool);
  // What was begun without a task, before the client said that it knows them, goes on without.
  if (asked.call.params.requestState !== undefined) return runTool(asked, tool);
  const checked = await checkArguments(tool, asked.call.params.arguments ?? {});
  return checked.ok ? beginTask(asked, tool) : runTool(asked, tool);
}

function runUntilDetached(asked: Asked, tool: CompiledTool): Promise<JsonObject> {
  const ctx = new CallContext(asked.call, asked.offer.settings.logLevel, { mayDetach: true });
  return runTool({ ...asked, ctx, detach: (journal) => beginTask(asked, tool, journal) }, tool);
}
