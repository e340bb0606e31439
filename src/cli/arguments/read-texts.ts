import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** Reads `key=value` where every value is a text: arguments of prompts, variables of templates. */
export function readTexts(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1)
      throw new CommandError(`An argument is key=value, not ${JSON.stringify(word)}.`, ExitCode.usage);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** The message that names the texts which a prompt or a template lacks. */
export function describeMissing(what: "prompt" | "template", names: readonly string[]): string {
  return `The ${what} needs ${names.join(", ")}; pass ${names.length === 1 ? "it" : "them"} as key=value.`;
}
