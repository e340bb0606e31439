import type { RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import { mayUse } from "../access.ts";
import { toPromptResult } from "../define/prompt.ts";
import { describeIssues } from "../define/tool-arguments.ts";
import { requestMounted, unprefixed } from "../mounts.ts";
import { runHandler } from "../replay/run-handler.ts";
import type { MethodCall } from "./method-call.ts";

export async function getPrompt(request: MethodCall): Promise<JsonObject> {
  const { catalog, call, ctx } = request;
  const name = call.params.name as string;
  const prompt = catalog.prompts.get(name);
  if (prompt === undefined) return getMounted(request, name);
  if (!(await mayUse(prompt.options, ctx))) throw unknownPrompt(name);
  const given = call.params.arguments ?? {};
  const args = prompt.args ? await prompt.args.validate(given) : { ok: true as const, value: given };
  if (!args.ok) {
    const text = `Invalid arguments for prompt "${name}":\n${describeIssues(args.issues)}`;
    throw invalidParams(text, { issues: args.issues });
  }
  return toPromptResult(prompt, await runHandler(request, (current) => prompt.run(args.value, current)));
}

async function getMounted({ catalog, call }: MethodCall, name: string): Promise<JsonObject> {
  for (const mounted of catalog.mounts) {
    const inner = unprefixed(mounted, name);
    if (inner === undefined || !hasCapability(mounted.mount.capabilities, "prompts")) continue;
    return requestMounted(mounted, call, { ...call.params, name: inner });
  }
  throw unknownPrompt(name);
}

function unknownPrompt(name: string): RpcError {
  return invalidParams(`Unknown prompt: ${name}`);
}
