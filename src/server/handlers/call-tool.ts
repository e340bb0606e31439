import { CapabilityError, invalidParams, type RpcError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { CompiledTool } from "../compile-tool.ts";
import { lackingCapability } from "../failure.ts";
import { askMounted, unprefixed } from "../mounts.ts";
import { mayUse } from "../visibility.ts";
import type { Asked } from "./handler.ts";
import { runTool } from "./run-tool.ts";

export function callTool(asked: Asked): Promise<JsonObject> {
  const { offer, call, ctx } = asked;
  const name = call.params.name as string;
  const tool = offer.tools.get(name);
  if (tool === undefined) return callMounted(asked, name);
  const callIf = (isUsable: boolean): Promise<JsonObject> => {
    if (!isUsable) throw unknownTool(name);
    assertNeeds(asked, tool);
    const { task = "never" } = tool.options;
    return task === "never" && call.params.task === undefined ? runTool(asked, tool) : runAsTask(asked, tool);
  };
  const usable = mayUse(tool.options, ctx);
  return usable === true ? callIf(usable) : Promise.resolve(usable).then(callIf);
}

async function runAsTask(asked: Asked, tool: CompiledTool): Promise<JsonObject> {
  const { callAsTask } = await import("../tasks/call-as-task.ts");
  return callAsTask(asked, tool);
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
    const state = mounted.mount.sharesTasks ? offer.keeping.stateFor(call.state) : call.state;
    return askMounted(mounted, call, { ...call.params, name: inner }, state);
  }
  throw unknownTool(name);
}

function unknownTool(name: string): RpcError {
  return invalidParams(`Unknown tool: ${name}`);
}
