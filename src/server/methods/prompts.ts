import type { RpcError } from "../../errors.ts";
import { describeIssues } from "../../lib/issue.ts";
import type { JsonObject } from "../../lib/json.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import { mayUse } from "../access.ts";
import { requestMounted } from "../catalog/mounted-requests.ts";
import { findMount } from "../catalog/mounts.ts";
import { toPromptResult } from "../define/prompt.ts";
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
  const found = findMount(catalog.mounts, name, "prompts");
  if (found === undefined) throw unknownPrompt(name);
  return requestMounted(found.mounted, call, { ...call.params, name: found.name });
}

function unknownPrompt(name: string): RpcError {
  return invalidParams(`Unknown prompt: ${name}`);
}
