import { InvalidOutputError, type RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { describeIssues } from "../../lib/text/issue.ts";
import { listOf } from "../../protocol/check/check.ts";
import { checkPromptMessage } from "../../protocol/check/model-check.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import { mayUse } from "../access.ts";
import { requestMounted } from "../catalog/mounted-requests.ts";
import { findMount } from "../catalog/mounts.ts";
import { isInputRequired } from "../define/input-required.ts";
import type { CompiledPrompt } from "../define/prompt.ts";
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

const checkMessages = listOf(checkPromptMessage);

/** Makes a `prompts/get` result of a handler's return value. */
function toPromptResult(prompt: CompiledPrompt, returned: unknown): JsonObject {
  if (isInputRequired(returned)) return returned;
  const { description } = prompt.options;
  const described = description === undefined ? {} : { description };
  const isWhole = isObject(returned) && returned.messages !== undefined;
  const messages = isWhole ? returned.messages : toMessages(returned);
  const problem = checkMessages(messages);
  if (problem === undefined) return { ...described, ...(isWhole ? returned : { messages }) };
  const what = `The prompt "${prompt.listed.name}" returned ${describeValue(returned)} that can't be sent`;
  throw new InvalidOutputError(
    `${what}: messages${problem}. Return a string, a content, or messages such as { role: "user", content: text("…") }.`,
  );
}

function toMessages(returned: unknown): readonly unknown[] {
  if (Array.isArray(returned)) return returned;
  const content = typeof returned === "string" ? { type: "text", text: returned } : returned;
  return [{ role: "user", content }];
}
