import type { RequestOptions } from "../contract/channel.ts";
import { RpcError, UsageError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import { expandUriTemplate, type TemplateValues } from "../protocol/uri-template/expand.ts";
import { parseTemplate, variableNames } from "../protocol/uri-template/parse.ts";

/** The functions of a client that begin with the name of something. */
const named = {
  "tools.call": { what: "the name of a tool", example: "add" },
  "prompts.get": { what: "the name of a prompt", example: "review" },
  "resources.read": { what: "a URI", example: "file:///notes.txt" },
} as const;

/** The error of a call that has its params, or something else, in the place of a name; it shows the right call. */
export function toNameError(call: keyof typeof named, given: unknown): UsageError {
  const { what, example } = named[call];
  const { name, uri, arguments: args } = isObject(given) ? given : {};
  const first = name ?? uri;
  const shown = typeof first === "string" ? first : example;
  const rest = isObject(args) || call === "tools.call" ? ", { … }" : "";
  return new UsageError(
    `client.${call} takes ${what} as a string, not ${describeValue(given)}; write client.${call}(${describeValue(shown)}${rest}).`,
  );
}

type ListTemplates = () => AsyncIterable<{ readonly uriTemplate: string }>;
type ReadLimits = Pick<RequestOptions, "signal" | "timeout">;

interface Templates {
  list(limits: ReadLimits): ReturnType<ListTemplates>;
}

/**
 * Reads the resource that a URI, or a template with its variables, names.
 *
 * Throws UsageError for what is neither, and for a template without its variables.
 */
export async function readGiven<Result>(
  given: unknown,
  { variables, signal, timeout }: ReadLimits & { readonly variables?: TemplateValues | undefined },
  read: (uri: string) => Promise<Result>,
  templates: Templates,
): Promise<Result> {
  if (typeof given !== "string") throw toNameError("resources.read", given);
  if (variables !== undefined) return read(expand(given, variables));
  try {
    return await read(given);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw await explainRefusal(error, given, () => templates.list({ signal, timeout }));
  }
}

function expand(template: string, variables: TemplateValues): string {
  try {
    return expandUriTemplate(template, variables);
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** The error of a read. Some servers list resources whose URIs have braces, so only a listed template is one. */
async function explainRefusal(error: RpcError, uri: string, list: ListTemplates): Promise<Error> {
  const names = await findVariables(uri, list);
  if (names === undefined) return error;
  const shown = names.map((name) => `${name}: "…"`).join(", ");
  return new UsageError(
    `client.resources.read needs the variables of the template ${describeValue(uri)}: pass { variables: { ${shown} } }.`,
    { cause: error },
  );
}

/** The names of the variables of a listed template; undefined if there is no such template, or nothing is known. */
async function findVariables(uri: string, list: ListTemplates): Promise<readonly string[] | undefined> {
  try {
    for await (const { uriTemplate } of list())
      if (uriTemplate === uri) return variableNames(parseTemplate(uri));
  } catch {
    // The caller learns of the read that has failed, and not of a list that it did not ask for.
  }
  return undefined;
}
