import type { Prompt } from "allspeak";
import type { Client } from "allspeak/client";
import { didYouMean } from "../../../lib/text/did-you-mean.ts";
import { describeMissing, readTexts } from "../../arguments/read-texts.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { ContentWriter, outOption } from "../../show/content.ts";
import { escapeLine } from "../../show/escape.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import { followCall } from "../../terminal/follow-call.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const options = {
  out: outOption,
  json: jsonOption,
} as const;

export const prompt: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [
    { name: "prompt", description: "the name of the prompt" },
    { name: "key=value", description: "its arguments, which are texts", isRest: true },
  ],
  options,
  examples: [
    ["allspeak prompt everything test_simple_prompt", "a prompt without arguments"],
    ["allspeak prompt everything test_prompt_with_arguments arg1=a arg2=b", "one with two"],
  ],
  async run({ arguments: [name = "", ...words], options, terminal, withClient }) {
    const given = readTexts(words);
    return withClient(async (client) => {
      const args = await completeArguments(await findPrompt(client, name), given, terminal);
      const result = await followCall(terminal, ({ signal }) => client.prompts.get(name, args, { signal }));
      if (options.json) {
        terminal.printJson(result);
        return ExitCode.ok;
      }
      const writer = new ContentWriter({ terminal, out: options.out });
      for (const { role, content } of result.messages) {
        terminal.print(terminal.paint.bold(`${role}:`));
        await writer.write(content);
      }
      return ExitCode.ok;
    });
  },
});

async function findPrompt(client: Client, name: string): Promise<Prompt> {
  const prompts = await client.prompts.list().all();
  const found = prompts.find((candidate) => candidate.name === name);
  if (found) return found;
  const hint = didYouMean(
    name,
    prompts.map((candidate) => candidate.name),
  );
  throw new CommandError(`The server has no prompt ${JSON.stringify(name)}${hint || "."}`, ExitCode.usage);
}

/** Asks for required arguments that are missing, or names them where nobody can be asked. */
async function completeArguments(
  { arguments: known = [] }: Prompt,
  given: Readonly<Record<string, string>>,
  terminal: Terminal,
): Promise<Readonly<Record<string, string>>> {
  const missing = known.filter(({ name, required }) => required && !Object.hasOwn(given, name));
  if (missing.length === 0) return given;
  if (!terminal.canAsk) {
    const names = missing.map(({ name }) => name);
    throw new CommandError(describeMissing("prompt", names), ExitCode.usage);
  }
  const { Prompts } = await import("../../terminal/prompts.ts");
  const prompts = new Prompts(terminal);
  const answers: Record<string, string> = { ...given };
  for (const { name, description } of missing) {
    answers[name] = await prompts.text({
      message: escapeLine(description ? `${name} (${description})` : name),
    });
  }
  return answers;
}
