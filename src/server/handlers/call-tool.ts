import { CapabilityError, invalidParams, type RpcError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { Issue } from "../../schema/index.ts";
import { checkArguments, describeIssues } from "../arguments.ts";
import type { CompiledTool } from "../compile-tool.ts";
import { isOwnRpcError, lackingCapability, readableText } from "../failure.ts";
import { askMounted, unprefixed } from "../mounts.ts";
import { runHandler } from "../replay/run-handler.ts";
import { errorResult, toToolResult } from "../tool-result.ts";
import { mayUse } from "../visibility.ts";
import type { Asked } from "./handler.ts";

export async function callTool(asked: Asked): Promise<JsonObject> {
  const { offer, call, ctx } = asked;
  const name = call.params.name as string;
  const tool = offer.tools.get(name);
  if (tool === undefined) return callMounted(asked, name);
  const usable = mayUse(tool.options, ctx);
  if (!(usable === true || (await usable))) throw unknownTool(name);
  assertNeeds(asked, tool);

  const checking = checkArguments(tool, call.params.arguments ?? {});
  const args = checking instanceof Promise ? await checking : checking;
  if (!args.ok) return refuseArguments(asked, tool, args.issues);
  try {
    const returned = await runHandler(asked, (current) => tool.run(args.value, current), tool.options);
    return await toToolResult(tool, returned);
  } catch (error) {
    return toFailure(asked, tool, error);
  }
}

/** A tool that fails says so in its result, where the model reads it. */
function toFailure({ offer, call }: Asked, tool: CompiledTool, error: unknown): JsonObject {
  if (isOwnRpcError(error) || call.signal.aborted) throw error;
  const rounds = call.revision.asking === "rounds";
  if (rounds && error instanceof CapabilityError && error.lackedBy === "client") throw error;
  return errorResult(readableText(error, `Tool "${tool.listed.name}"`, offer.settings.log));
}

function refuseArguments({ call }: Asked, tool: CompiledTool, issues: readonly Issue[]): JsonObject {
  const text = `Invalid arguments for tool "${tool.listed.name}":\n${describeIssues(issues)}`;
  if (call.revision.badArguments === "result") return errorResult(text);
  throw invalidParams(text, { issues });
}

function assertNeeds({ call }: Asked, tool: CompiledTool): void {
  for (const capability of tool.options.needs ?? []) {
    if (hasCapability(call.client.capabilities, capability)) continue;
    throw lackingCapability(new CapabilityError(capability, "client", `Tool "${tool.listed.name}"`), call);
  }
}

async function callMounted({ offer, call }: Asked, name: string): Promise<JsonObject> {
  for (const mounted of offer.mounts) {
    const inner = unprefixed(mounted, name);
    if (inner === undefined || !hasCapability(mounted.mount.capabilities, "tools")) continue;
    return askMounted(mounted, call, { ...call.params, name: inner });
  }
  throw unknownTool(name);
}

function unknownTool(name: string): RpcError {
  return invalidParams(`Unknown tool: ${name}`);
}
