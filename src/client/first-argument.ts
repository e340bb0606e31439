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

/** The templates of a server, which are asked for only where one may have been taken for a URI. */
interface Templates {
  list(): AsyncIterable<{ readonly uriTemplate: string }>;
}

/** The URI of a template with its variables. Throws UsageError without them, and for what is neither URI nor template. */
export async function toUri(
  given: unknown,
  variables: TemplateValues | undefined,
  templates: Templates,
): Promise<string> {
  if (typeof given !== "string") throw toNameError("resources.read", given);
  if (variables === undefined) return assertNoTemplate(given, templates);
  try {
    return expandUriTemplate(given, variables);
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Some servers list resources whose URIs have braces, so only what the server lists as a template is one. */
async function assertNoTemplate(uri: string, templates: Templates): Promise<string> {
  if (!(await isListed(uri, templates))) return uri;
  const names = variableNames(parseTemplate(uri)).map((name) => `${name}: "…"`);
  throw new UsageError(
    `client.resources.read needs the variables of the template ${describeValue(uri)}: pass { variables: { ${names.join(", ")} } }.`,
  );
}

async function isListed(uri: string, templates: Templates): Promise<boolean> {
  try {
    for await (const { uriTemplate } of templates.list()) if (uriTemplate === uri) return true;
  } catch (error) {
    // The server has no templates.
    if (!(error instanceof RpcError)) throw error;
  }
  return false;
}
