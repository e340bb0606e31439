import { type Client, RpcError } from "allspeak/client";
import { describeMissing, readTexts } from "../../arguments/read-texts.ts";
import { requiredVariablesOf, variablesOf } from "../../arguments/template-variables.ts";
import { CommandError } from "../../command-error.ts";
import { toExitCode } from "../../error-exit-code.ts";
import { ExitCode } from "../../exit-code.ts";
import { ContentWriter, outOption } from "../../show/content.ts";
import { escapeLine } from "../../show/escape.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import { followCall } from "../../terminal/follow-call.ts";
import { describeUnlisted } from "./unlisted-resource.ts";

const options = {
  out: { ...outOption, description: "Save binary contents" },
  json: jsonOption,
} as const;

export const read: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [
    { name: "uri", description: "the URI of a resource, or a template" },
    { name: "key=value", description: "the variables of a template", isRest: true },
  ],
  options,
  examples: [
    ["allspeak read everything test://static-text", "one resource"],
    ["allspeak read everything 'test://template/{id}/data' id=123", "a template, filled in"],
  ],
  async run({ arguments: [uri = "", ...words], options, terminal, withClient }) {
    const variables = readTexts(words);
    assertVariables(uri, variables);
    return withClient(async (client) => {
      const isTemplate = words.length > 0 || variablesOf(uri).length > 0;
      const read = await followCall(terminal, (following) =>
        client.resources.read(uri, { ...following, ...(isTemplate && { variables }) }),
      ).catch(async (error: unknown) => {
        throw isTemplate ? error : await withSimilarUri(error, client, uri);
      });
      if (options.json) terminal.printJson(read);
      else {
        const writer = new ContentWriter({ terminal, out: options.out });
        for (const contents of read.contents) await writer.writeResource(contents);
      }
      return ExitCode.ok;
    });
  },
});

/** Refuses a template whose variables are not all given. */
function assertVariables(uri: string, given: Readonly<Record<string, string>>): void {
  const missing = requiredVariablesOf(uri).filter((name) => !Object.hasOwn(given, name));
  if (missing.length > 0) throw new CommandError(describeMissing("template", missing), ExitCode.usage);
}

/** The error of a server that has refused a URI, with one that it lists. */
async function withSimilarUri(error: unknown, client: Client, uri: string): Promise<unknown> {
  const hint = error instanceof RpcError ? await describeUnlisted(client, uri) : undefined;
  if (hint === undefined || !(error instanceof RpcError)) return error;
  return new CommandError(error.message, toExitCode(error), { cause: error, hint: escapeLine(hint) });
}
