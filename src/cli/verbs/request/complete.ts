import type { Client } from "allspeak/client";
import { didYouMean } from "../../../lib/text/did-you-mean.ts";
import { readTexts } from "../../arguments/read-texts.ts";
import { variablesOf } from "../../arguments/template-variables.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import { knownItems } from "./unlisted-resource.ts";

const options = { json: jsonOption } as const;

export const complete: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [
    { name: "reference", description: "the name of a prompt, or a resource template" },
    {
      name: "key=value",
      description: "the argument and what is typed so far; those before it are filled in",
      isRest: true,
    },
  ],
  options,
  examples: [
    ["allspeak complete everything test_prompt_with_arguments arg1=t", "values that begin with t"],
    ["allspeak complete everything 'test://template/{id}/data' id=1", "a variable of a template"],
  ],
  async run({ arguments: [reference = "", ...words], options, terminal, withClient }) {
    const given = Object.entries(readTexts(words));
    const last = given.pop();
    if (!last) throw new CommandError("Name the argument to complete, as key=value.", ExitCode.usage);
    const [name, value] = last;
    return withClient(async (client) => {
      const ref = /^[a-z][a-z\d+.-]*:/i.test(reference)
        ? ({ type: "ref/resource", uri: reference } as const)
        : ({ type: "ref/prompt", name: reference } as const);
      const context = given.length > 0 ? { arguments: Object.fromEntries(given) } : undefined;
      const found = await client.complete(ref, { name, value }, context, { signal: terminal.signal });
      if (options.json) terminal.printJson(found);
      else for (const one of found.values) terminal.print(escapeLine(one));
      if (found.values.length === 0) {
        await assertArgument(client, reference, name);
        terminal.note(`The server suggests no value for ${escapeLine(name)}.`);
      }
      if (!options.json && found.hasMore) terminal.note(terminal.notePaint.dim("There are more."));
      return ExitCode.ok;
    });
  },
});

/** Throws if the prompt or the template is known, and has no such argument: servers answer with no values then, too. */
async function assertArgument(client: Client, reference: string, name: string): Promise<void> {
  const names = await argumentsOf(client, reference);
  if (names === undefined || names.includes(name)) return;
  const hint = didYouMean(name, names) || `; it has ${names.join(", ") || "none"}.`;
  throw new CommandError(
    `${JSON.stringify(reference)} has no argument ${JSON.stringify(name)}${hint}`,
    ExitCode.usage,
  );
}

async function argumentsOf(client: Client, reference: string): Promise<readonly string[] | undefined> {
  const { prompts, resources } = client.server.capabilities;
  const listed = prompts && (await knownItems(client.prompts.list()));
  const prompt = listed?.find((candidate) => candidate.name === reference);
  if (prompt) return prompt.arguments?.map((argument) => argument.name) ?? [];
  const templates = resources && (await knownItems(client.resources.templates()));
  const isTemplate = templates?.some(({ uriTemplate }) => uriTemplate === reference);
  return isTemplate ? variablesOf(reference) : undefined;
}
