import { CapabilityError, OverloadedError } from "../../errors.ts";
import { andThen, attempt, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../lib/json.ts";
import { describeIssues, type Issue } from "../../lib/text/issue.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import type { CompiledTool } from "../define/tool.ts";
import { checkArguments } from "../define/tool-arguments.ts";
import { errorResult, toToolResult } from "../define/tool-result.ts";
import { runHandler } from "../replay/run-handler.ts";
import { isLocalRpcError, isUrlElicitationError, publicMessage } from "../to-rpc-error.ts";
import type { MethodCall } from "./method-call.ts";

/** Validates the arguments, runs the handler of a tool and makes its result. Access must be checked before. */
export function runTool(request: MethodCall, tool: CompiledTool): MaybePromise<JsonObject> {
  const checking = checkArguments(tool, request.call.params.arguments ?? {});
  return andThen(checking, (args) =>
    args.ok ? runChecked(request, tool, args.value) : refuseArguments(request, tool, args.issues),
  );
}

function runChecked(request: MethodCall, tool: CompiledTool, args: unknown): MaybePromise<JsonObject> {
  return attempt(
    () => runHandler(request, (current) => tool.run(args, current), tool.options),
    (returned) => toToolResult(tool, returned),
    (error) => toFailure(request, tool, error),
  );
}

/** Makes a result of a handler's error, so that the model can read it: server/tools#error-handling (2025-11-25). */
function toFailure({ catalog, call }: MethodCall, tool: CompiledTool, error: unknown): JsonObject {
  if (isLocalRpcError(error) || isUrlElicitationError(error, call) || call.signal.aborted) throw error;
  if (error instanceof OverloadedError) throw error;
  const rounds = call.revision.asking === "rounds";
  if (rounds && error instanceof CapabilityError && error.lackedBy === "client") throw error;
  return errorResult(publicMessage(error, `Tool "${tool.listed.name}"`, catalog.settings.log));
}

function refuseArguments({ call }: MethodCall, tool: CompiledTool, issues: readonly Issue[]): JsonObject {
  const text = `Invalid arguments for tool "${tool.listed.name}":\n${describeIssues(issues)}`;
  if (call.revision.badArguments === "result") return errorResult(text);
  throw invalidParams(text, { issues });
}
