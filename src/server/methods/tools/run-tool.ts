import { andThen, attempt, type MaybePromise } from "../../../lib/async/maybe-promise.ts";
import { callPart } from "../../../lib/async/on-demand.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { describeIssues, type Issue } from "../../../lib/text/issue.ts";
import { invalidParams } from "../../../protocol/wire-error.ts";
import { isInputRequired } from "../../define/input-required.ts";
import { errorResult, textResult } from "../../define/text-result.ts";
import type { CompiledTool } from "../../define/tool.ts";
import { isLocalRpcError } from "../../errors/rpc-error-origin.ts";
import { handlerErrors } from "../../errors/to-rpc-error.ts";
import { runHandler } from "../../replay/run-handler.ts";
import type { MethodCall } from "../method-call.ts";
import { checkArguments } from "./check-arguments.ts";

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
    (returned) => toResult(tool, returned),
    (error) => toFailure(request, tool, error),
  );
}

/** Loaded with the first result that is neither text nor a question. */
const toolResults = callPart(() => import("./tool-result.ts"));

function toResult(tool: CompiledTool, returned: unknown): MaybePromise<JsonObject> {
  if (typeof returned === "string" && tool.output === undefined) return textResult(returned);
  if (isInputRequired(returned)) return returned;
  return toolResults.use(({ toToolResult }) => toToolResult(tool, returned));
}

function toFailure(request: MethodCall, tool: CompiledTool, error: unknown): MaybePromise<JsonObject> {
  if (isLocalRpcError(error)) throw error;
  return handlerErrors.use(({ toFailedResult }) =>
    toFailedResult(error, `Tool "${tool.listed.name}"`, request),
  );
}

function refuseArguments({ call }: MethodCall, tool: CompiledTool, issues: readonly Issue[]): JsonObject {
  const text = `Invalid arguments for tool "${tool.listed.name}":\n${describeIssues(issues)}`;
  if (call.revision.badArguments === "result") return errorResult(text);
  throw invalidParams(text, { issues });
}
