import { CapabilityError, invalidParams } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { Issue } from "../../schema/index.ts";
import { checkArguments, describeIssues } from "../arguments.ts";
import type { CompiledTool } from "../compile-tool.ts";
import { isOwnRpcError, isVisitToTell, readableText } from "../failure.ts";
import { runHandler } from "../replay/run-handler.ts";
import { errorResult, toToolResult } from "../tool-result.ts";
import type { Asked } from "./handler.ts";

/** Runs a tool that the caller may use. */
export async function runTool(asked: Asked, tool: CompiledTool): Promise<JsonObject> {
  const checking = checkArguments(tool, asked.call.params.arguments ?? {});
  const args = checking instanceof Promise ? await checking : checking;
  if (!args.ok) return refuseArguments(asked, tool, args.issues);
  try {
    const returned = await runHandler(asked, (current) => tool.run(args.value, current), tool.options);
    const result = toToolResult(tool, returned);
    return result instanceof Promise ? await result : result;
  } catch (error) {
    return toFailure(asked, tool, error);
  }
}

/** A tool that fails says so in its result, where the model reads it. */
function toFailure({ offer, call }: Asked, tool: CompiledTool, error: unknown): JsonObject {
  if (isOwnRpcError(error) || isVisitToTell(error, call) || call.signal.aborted) throw error;
  const rounds = call.revision.asking === "rounds";
  if (rounds && error instanceof CapabilityError && error.lackedBy === "client") throw error;
  return errorResult(readableText(error, `Tool "${tool.listed.name}"`, offer.settings.log));
}

function refuseArguments({ call }: Asked, tool: CompiledTool, issues: readonly Issue[]): JsonObject {
  const text = `Invalid arguments for tool "${tool.listed.name}":\n${describeIssues(issues)}`;
  if (call.revision.badArguments === "result") return errorResult(text);
  throw invalidParams(text, { issues });
}
