import { UsageError } from "../errors.ts";
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

/** The URI of a template with its variables. Throws UsageError without them, and for what is neither URI nor template. */
export function toUri(template: unknown, variables: TemplateValues | undefined): string {
  if (typeof template !== "string") throw toNameError("resources.read", template);
  try {
    if (variables !== undefined) return expandUriTemplate(template, variables);
    const names = variableNames(parseTemplate(template));
    throw new UsageError(
      `client.resources.read needs the variables of the template ${describeValue(template)}: pass { variables: { ${names.map((name) => `${name}: "…"`).join(", ")} } }.`,
    );
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
